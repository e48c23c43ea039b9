#pragma once

#include <QtQml/qqmlregistration.h>

#include <array>

#include "app/models/cache_types.h"
#include "app/models/compute_devices.h"
#include "app/models/load_defaults.h"
#include "app/role_list_model.h"
#include "app/session/data_session.h"

namespace quire {

/// How every model is loaded unless its card says otherwise: a row for each choice, with its
/// default in words and a way back to it. Models that are loaded keep what they were loaded with
/// until apply().
///
/// Thread: the window's.
/// Invariants: defaults() is always valid; what is typed wrongly stands in its row's `problem` and
/// changes nothing.
class EngineSettings : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString staleText READ staleText NOTIFY staleChanged)
  Q_PROPERTY(bool isStale READ isStale NOTIFY staleChanged)
  Q_PROPERTY(bool isApplying READ isApplying NOTIFY staleChanged)

 public:
  enum Role {
    kName = Qt::UserRole + 1,
    kHelp,
    kUnit,
    kValueText,
    kDefaultText,
    kIsSet,
    kProblem,
    kChoices,      ///< Words to choose from, where nothing is typed; else empty.
    kChoiceIndex,  ///< Into kChoices.
  };
  enum Row { kThreads, kContext, kCache, kPrecision, kBatch, kNumRows };

  EngineSettings(DataSession& session, ComputeDevices& devices, QObject* parent = nullptr);

  /// Takes what is stored; the session is open.
  void load();
  const LoadDefaults& defaults() const { return m_defaults; }

  int numRows() const override { return kNumRows; }

  /// Asks what the devices can do, of which defaults and choices speak; the first time.
  Q_INVOKABLE void prepare() { m_devices.prepare(); }
  /// Takes what was typed, or LoadRequest::cacheType for kPrecision; empty is reset.
  Q_INVOKABLE void set(int row, const QString& text);
  Q_INVOKABLE void choose(int row, int index);  ///< Of kChoices.
  Q_INVOKABLE void reset(int row) { set(row, QString()); }
  /// Loads those models again that run with other choices.
  Q_INVOKABLE void apply() { emit applyWanted(); }

  bool isStale() const { return !m_stale.isEmpty(); }
  bool isApplying() const { return m_isApplying; }
  QString staleText() const;
  /// The loaded models that run with other choices than those made now.
  void setStale(const QStringList& names, bool isApplying);
  /// The words, in another language.
  void retranslate();

 signals:
  void changed();  ///< defaults()
  void staleChanged();
  void applyWanted();

 private:
  QString defaultText(int row) const;
  QString problemIn(int row) const;
  cache_types::Choices choicesOf(int row) const;

  DataSession& m_session;
  ComputeDevices& m_devices;
  LoadDefaults m_defaults;
  std::array<QString, kNumRows> m_problems;
  QStringList m_stale;
  bool m_isApplying = false;
};

}  // namespace quire
