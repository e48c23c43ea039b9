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

/// The models of the local engine: which are loaded, which wait to be, and which of them is the
/// primary one. Loads go one after the other; a model that is replaced serves until the next is
/// there, unless its memory is needed for it, and serves again if nothing comes of the load.
///
/// Thread: the window's. No call waits, save the destructor, for the steps being computed, the
/// tensor being read or the file's head being read.
/// Invariants: one load is under way at a time; none begins while a model is leaving or has given
/// up its devices.
class ModelPool : public QObject {
  Q_OBJECT

 public:
  struct Options {
    BackendOptions backend;
    EngineOptions engine;
    QString bundledModelPath;
    /// A worker's events that are not about its load.
    std::function<void(ServedModel&, const WorkerEvent&)> onEvent;
  };
  explicit ModelPool(Options options);
  ~ModelPool() override;

  /// byUser: it becomes the primary model, and may end other models' answers.
  void load(const LoadRequest& request, bool byUser);
  void cancelLoad(const QString& path);
  void unload(const QString& path);
  void setPrimary(const QString& path);
  /// Unloads those that nobody asks, and that have been idle for too long.
  void unloadIdle(const std::function<bool(const ServedModel&)>& isTooLong);

  ServedModel* find(const QString& path) const { return findPointer(path).get(); }
  ServedModel* primary() const { return m_primary.get(); }  ///< Null before the first load.
  /// The model that is being loaded to become the primary one, the last asked for; null if none.
  ServedModel* nextPrimary() const;
  const std::vector<std::shared_ptr<ServedModel>>& models() const { return m_models; }
  QList<ModelState> states() const;
  /// Why the last load failed, or what is being loaded; empty when all is well.
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
  std::optional<Waiting> m_current;  ///< Until its model serves, or nothing came of it.
  PlannedLoad m_planned;             ///< Of m_current.
  int m_openRooms = 0;               ///< That m_current still waits for.
  QElapsedTimer m_sinceProgress;

  ModelHost m_host;  ///< Last: its thread tells this object what happens.
};

}  // namespace quire
