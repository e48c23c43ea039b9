#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include "app/models/engine_settings.h"
#include "app/models/model_card.h"
#include "app/session/data_session.h"
#include "app/settings/generation_defaults.h"

namespace quire {

/// All cards there are: it makes them, tells them what the manager's models do, and keeps what the
/// user chose for each.
///
/// Thread: the window's.
/// Invariants: one card a path; a model that the manager knows has one.
class CardCache : public QObject {
  Q_OBJECT

 public:
  CardCache(ModelManager& manager, DataSession& session, GenerationDefaults& settings,
            QObject* parent = nullptr);

  /// Reads what is kept; the session is open.
  void load();
  ModelCard* card(const QString& path);  ///< Made if there is none.
  ModelCard* find(const QString& path) const;
  QList<ModelCard*> all() const { return m_order; }
  /// Those that no search has found, nobody opened and no model stands behind are gone.
  void keepOnly(const QSet<QString>& paths);
  ComputeDevices& devices() { return m_devices; }
  EngineSettings& engine() { return m_engine; }
  /// Reads again what is kept of models that nobody here has chosen anything for: settings came
  /// with an import.
  void addStored();
  void save();  ///< What waits to be written, at once.

 signals:
  void changed();  ///< Which cards there are, or something by which they are ordered.
  /// A model that the manager has and nobody has read yet.
  void unknownModel(const QString& path);
  /// It is loaded and the primary one.
  void primaryReady(const QString& path);

 private:
  void onModelsChanged();
  void onThroughput(double tokensPerSecond, int running);
  void takeState(ModelCard& card, const ModelState& state);
  void keep(ModelCard& card);
  void onSettingsChanged(const QString& path);
  void onDefaultsChanged();
  void onIdleChanged();
  /// How the manager is to load it, and for how long to keep it.
  void applyOptions(const ModelOptions& options);
  void updateStale();
  void applyToLoaded();
  void showGeneration(ModelCard& card);

  ModelManager& m_manager;
  DataSession& m_session;
  GenerationDefaults& m_settings;  ///< Has the settings of models, which others change as well.
  LoadPlanner m_planner;
  ComputeDevices m_devices;
  EngineSettings m_engine;
  QHash<QString, ModelCard*> m_cards;
  QList<ModelCard*> m_order;  ///< As they were made.
  QHash<QString, ModelSettings> m_stored;
  QSet<QString> m_unsaved;
  QTimer m_saving;  ///< A slider that is dragged is written when it rests.
  QString m_primary;
  QStringList m_serving;
  int m_idleOfAll = 0;
};

}  // namespace quire
