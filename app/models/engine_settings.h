#pragma once

#include <QtQml/qqmlregistration.h>

#include <array>

#include "app/models/cache_types.h"
#include "app/models/compute_devices.h"
#include "app/models/load_defaults.h"
#include "app/role_list_model.h"
#include "app/session/data_session.h"

namespace quire {

/// How models are loaded unless their own options say otherwise: a row for each value, with its
/// default as text, and a reset. Loaded models keep their values until apply().
///
/// Thread: the window's.
/// Invariants: defaults() is always valid; an invalid entry changes nothing and sets its row's
/// `problem`.
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
    kChoices,      ///< The labels of a row with a list of choices; else empty.
    kChoiceIndex,  ///< Index into kChoices.
  };
  enum Row { kThreads, kContext, kCache, kPrecision, kBatch, kNumRows };

  EngineSettings(DataSession& session, ComputeDevices& devices, QObject* parent = nullptr);

  /// Reads the stored values; the session is open.
  void load();
  const LoadDefaults& defaults() const { return m_defaults; }

  int numRows() const override { return kNumRows; }

  /// Requests the list of devices, from which the defaults and choices are made.
  Q_INVOKABLE void prepare() { m_devices.prepare(); }
  /// Sets a typed text, or a LoadRequest::cacheType for kPrecision; empty text resets.
  Q_INVOKABLE void set(int row, const QString& text);
  Q_INVOKABLE void choose(int row, int index);  ///< Index into kChoices.
  /// Folded on the settings page until it is asked for.
  static bool isAdvanced(int row) { return row == kPrecision || row == kBatch || row == kThreads; }
  static QStringList sourceTexts(int row);  ///< English: the name and the help.
  Q_INVOKABLE void reset(int row) { set(row, QString()); }
  /// Reloads the models that were loaded with other values.
  Q_INVOKABLE void apply() { emit applyWanted(); }

  bool isStale() const { return !m_stale.isEmpty(); }
  bool isApplying() const { return m_isApplying; }
  QString staleText() const;
  /// Names of the models that are loaded with other values than the current ones.
  void setStale(const QStringList& names, bool isApplying);
  /// The language has changed.
  void retranslate();

 signals:
  void changed();  ///< defaults() has changed.
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
