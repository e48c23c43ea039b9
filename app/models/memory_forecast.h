#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>

#include "app/models/load_planner.h"

namespace quire {

/// The memory that a model will need compared with the free memory, and the models that loading it
/// would replace.
///
/// Thread: the window's.
/// Invariants: the shares add up to at most 1; they are 0 until isKnown().
class MemoryForecast : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Part of a model's card.")
  Q_PROPERTY(bool known READ isKnown NOTIFY changed)
  Q_PROPERTY(bool fits READ fits NOTIFY changed)
  Q_PROPERTY(bool warns READ warns NOTIFY changed)
  Q_PROPERTY(double weightsShare READ weightsShare NOTIFY changed)
  Q_PROPERTY(double cacheShare READ cacheShare NOTIFY changed)
  Q_PROPERTY(double workspaceShare READ workspaceShare NOTIFY changed)
  Q_PROPERTY(QString text READ text NOTIFY changed)
  Q_PROPERTY(QString weightsText READ weightsText NOTIFY changed)
  Q_PROPERTY(QString cacheText READ cacheText NOTIFY changed)
  Q_PROPERTY(QString workspaceText READ workspaceText NOTIFY changed)
  Q_PROPERTY(QString placeText READ placeText NOTIFY changed)
  Q_PROPERTY(QString replacesText READ replacesText NOTIFY changed)
  Q_PROPERTY(QString draftText READ draftText NOTIFY changed)
  Q_PROPERTY(QString deviceText READ deviceText NOTIFY changed)

 public:
  explicit MemoryForecast(LoadPlanner& planner, QObject* parent = nullptr);

  bool isKnown() const { return m_plan.memory.total() > 0; }
  bool fits() const { return m_plan.fits; }
  bool warns() const { return isKnown() ? !m_plan.fits : !m_plan.error.isEmpty(); }
  double weightsShare() const { return share(m_plan.memory.weights); }
  double cacheShare() const { return share(m_plan.memory.cache); }
  double workspaceShare() const { return share(m_plan.memory.workspace); }
  QString text() const;           ///< "needs 5.1 of 9.8 GB free".
  QString weightsText() const;    ///< "weights 4.6 GB".
  QString cacheText() const;      ///< "keys and values 0.4 GB".
  QString workspaceText() const;  ///< "workspace 120 MB".
  QString placeText() const;      ///< "Loads beside quire-mini"; empty if no other model is loaded.
  /// placeText(), if another model would be unloaded.
  QString replacesText() const { return m_plan.replaces.isEmpty() ? QString() : placeText(); }
  /// Why the plan uses another device than the chosen one; else empty.
  QString deviceText() const { return m_plan.deviceNote; }
  /// Why the chosen draft model would not be used; else empty.
  QString draftText() const { return m_plan.draftNote; }
  const LoadPlan& plan() const { return m_plan; }

  /// Requests a plan now, and again whenever it is out of date.
  void setRequest(const LoadRequest& request);
  bool isWanted() const { return m_isWanted; }
  /// A function that gives the name of a model by path.
  void setNames(std::function<QString(const QString& path)> names) { m_names = std::move(names); }
  void setServing(const QStringList& paths);  ///< The loaded models.

 signals:
  void changed();

 private:
  double share(quint64 bytes) const;
  void ask();

  LoadPlanner& m_planner;
  std::function<QString(const QString&)> m_names;
  QStringList m_serving;
  LoadRequest m_request;
  LoadPlan m_plan;
  bool m_isWanted = false;
  QTimer m_delay;  ///< Delays requests while a slider is dragged.
};

}  // namespace quire
