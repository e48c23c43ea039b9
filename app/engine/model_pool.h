#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/engine/model_host.h"
#include "app/engine/served_model.h"

namespace quire {

/// The models of the local engine: those that are loaded or queued for loading, and the primary
/// one. Loads run one after the other. A model that is replaced serves until the new one is ready,
/// unless its memory is needed before, and serves again if the load fails.
///
/// Thread: the window's. Only the destructor waits: for the steps being computed and the tensor or
/// file header being read.
/// Invariants: one load runs at a time; none begins while a model is unloading or suspended.
class ModelPool : public QObject {
  Q_OBJECT

 public:
  struct Options {
    BackendOptions backend;
    EngineOptions engine;
    QString bundledModelPath;
    TrialOfModel trial;    ///< For each model but the bundled one, and adapter; empty: none.
    QString markerFolder;  ///< Of the LoadMarker; empty: none.
    /// Receives a worker's events that do not concern its load.
    std::function<void(ServedModel&, const WorkerEvent&)> onEvent;
  };
  explicit ModelPool(Options options);

  /// `byUser`: it becomes the primary model, and may end other models' answers.
  void load(const LoadRequest& request, bool byUser);
  void cancelLoad(const QString& path);
  void unload(const QString& path);
  void setPrimary(const QString& path);
  /// Unloads models without requests for which `isTooLong` returns true.
  void unloadIdle(const std::function<bool(const ServedModel&)>& isTooLong);

  ServedModel* find(const QString& path) const { return findPointer(path).get(); }
  ServedModel* primary() const { return m_primary.get(); }  ///< Null before the first load.
  /// The model that was requested last to become the primary one and is being loaded; null if none.
  ServedModel* nextPrimary() const;
  const std::vector<std::shared_ptr<ServedModel>>& models() const { return m_models; }
  QList<ModelState> states() const;
  /// Why the last load failed, or what is being loaded; else empty.
  const QString& notice() const { return m_notice; }
  LoadPlanInput planInput(const LoadRequest& request, bool mayEndAnswers) const;

 signals:
  void changed();
  void loadFailed(const QString& sentence);

 private:
  using ModelPointer = std::shared_ptr<ServedModel>;
  struct Waiting {
    ModelPointer model;
    LoadNumber load = 0;
    bool byUser = false;
    LoadTrials trials;  ///< Stopped with their last reference.
  };

  ModelPointer findPointer(const QString& path) const;
  ModelPointer findOrAdd(const LoadRequest& request);
  void remove(const ServedModel& model);
  void pump();
  bool mayBegin() const;
  void giveUpLoad(ServedModel& model);
  void giveUpOthers(const ModelPointer& model);
  void endCurrent(const QString& error);
  void resumeSuspended();
  void takeOver(const Waiting& loaded);
  void evictReplaced(ServedModel& by);
  void leave(ServedModel& model, const QString& sentence);
  void electPrimary(const ServedModel& leaving);

  LoadTrials trialsOf(const ServedModel& model) const;
  void loadPlanned() { m_host.load(m_current->load, m_planned); }

  void handle(const LoadProgressed& event);
  void handle(const LoadPlanned& event);
  void handle(LoadEnded& event);
  void handle(ServedModel& model, const ModelReady& event);
  void handle(ServedModel& model, const ModelFailed& event);
  void handle(ServedModel& model, const RoomMade& event);
  void handle(ServedModel& model, const ModelUnloaded& event);
  void onWorkerEvent(ServedModel& model, const WorkerEvent& event);

  const Options m_options;
  QString m_notice;
  LoadNumber m_lastLoad = 0;
  std::vector<ModelPointer> m_models;  ///< In the order of their first loads.
  ModelPointer m_primary;
  std::deque<Waiting> m_queue;
  std::optional<Waiting> m_current;  ///< The load that runs; none after it succeeded or failed.
  PlannedLoad m_planned;             ///< Of m_current.
  int m_openRooms = 0;               ///< Models that must be suspended before m_current goes on.
  QElapsedTimer m_sinceProgress;

  ModelHost m_host;  ///< Last: its thread sends events to this object.
};

}  // namespace quire
