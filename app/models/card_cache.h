#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <functional>
#include <utility>

#include "app/models/engine_settings.h"
#include "app/models/model_card.h"
#include "app/session/data_session.h"
#include "app/settings/generation_defaults.h"

namespace quire {

/// Owns the cards of all models: creates them, updates them from the model manager, and stores the
/// user's options for each.
///
/// Thread: the window's.
/// Invariants: there is one card for a path; every model of the manager has one.
class CardCache : public QObject {
  Q_OBJECT

 public:
  CardCache(ModelManager& manager, DataSession& session, GenerationDefaults& settings,
            QObject* parent = nullptr);

  /// Reads the stored settings; the session is open.
  void load();
  ModelCard* card(const QString& path);  ///< Creates it if there is none.
  ModelCard* find(const QString& path) const;
  QList<ModelCard*> all() const { return m_order; }
  /// Removes the cards that are neither in `paths` nor of a model of the manager. Does not emit
  /// changed(): the end of a scan arranges them anyway.
  void keepOnly(const QSet<QString>& paths);
  /// Sets the draft models that the shown cards offer. Candidates are the models with cards and
  /// that of offerDraft().
  void updateDrafts();
  /// Offers a model without a card as a draft model.
  void offerDraft(const FoundModel& model) { m_offeredDraft = model; }
  /// Names that the user gave, by path; empty: none.
  void setLabels(std::function<QString(const QString& path)> labels) {
    m_labels = std::move(labels);
  }
  /// Copies the settings of a model to its new path, also where others name it as their draft.
  void movePath(const QString& from, const QString& to);
  ComputeDevices& devices() { return m_devices; }
  const ComputeDevices& devices() const { return m_devices; }
  EngineSettings& engine() { return m_engine; }
  /// After an import: takes over the stored settings of models that have none here.
  void addStored();
  void save();  ///< Writes pending changes now.

 signals:
  void changed();  ///< The set of cards, or something that determines their order.
  /// The manager has a model whose files were not read yet.
  void unknownModel(const QString& path);
  /// The primary model was loaded, or another loaded model became the primary one.
  void primaryReady(const QString& path);

 private:
  void onModelsChanged();
  void onThroughput(double tokensPerSecond, int running);
  void updateState(ModelCard& card, const ModelState& state);
  void onEdited(ModelCard& card);
  void onSettingsChanged(const QString& path);
  void onDefaultsChanged();
  void onIdleChanged();
  /// Passes the load request and the idle time of a model to the manager.
  void applyOptions(const ModelOptions& options);
  void updateStale();
  void applyToLoaded();
  void showGeneration(ModelCard& card);

  ModelManager& m_manager;
  DataSession& m_session;
  GenerationDefaults& m_settings;  ///< Stores the settings of models; others change them too.
  LoadPlanner m_planner;
  ComputeDevices m_devices;
  EngineSettings m_engine;
  QHash<QString, ModelCard*> m_cards;
  QList<ModelCard*> m_order;  ///< In order of creation.
  QHash<QString, ModelSettings> m_stored;
  QSet<QString> m_unsaved;
  QTimer m_saving;  ///< Delays writing while a slider is dragged.
  std::function<QString(const QString& path)> m_labels;
  FoundModel m_offeredDraft;
  DraftChoices m_drafts;
  QString m_primary;
  QStringList m_serving;
  int m_idleOfAll = 0;
};

}  // namespace quire
