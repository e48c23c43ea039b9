#pragma once

#include <atomic>
#include <memory>

#include "app/engine/load_marker.h"
#include "app/engine/model_trial.h"
#include "app/engine/service_event.h"
#include "app/task_runner.h"

namespace quire {

/// Plans and loads models on its own thread, each onto its own backend, so that the loaded models
/// serve until the next one is ready.
///
/// Thread: the window's; events come on the loader's.
/// Invariants: the marker names a model from before its first byte is read until the load has
/// ended, failed or been cancelled; plan() is followed by one LoadPlanned and load() by one
/// LoadEnded, unless the host is destroyed first; the destructor returns after the tensor that is
/// being read.
class ModelHost {
 public:
  /// `markerFolder`: of the LoadMarker.
  explicit ModelHost(TellLoadEvent tell, const QString& markerFolder = {})
      : m_tell(std::move(tell)), m_marker(markerFolder) {}
  ~ModelHost() { cancel(); }

  /// Begins a load: reads the file's header. The previous load must have ended.
  void plan(LoadNumber number, const LoadPlanInput& input);
  /// Loads the planned model, unless the trial (may be null) refuses it.
  void load(LoadNumber number, const PlannedLoad& planned,
            const std::shared_ptr<ModelTrial>& trial = nullptr);
  /// Ends the load without load().
  void giveUp() {
    m_tasks.post([this] { m_marker.end(); });
  }
  /// Cancels the latest load: load() ends without a model after the tensor that is being read.
  void cancel() { m_isCancelled = true; }
  /// Frees an unused model on this thread, because that takes time.
  void discard(std::shared_ptr<ServingModel> model);

 private:
  using Loaded = Result<std::shared_ptr<ServingModel>>;
  Loaded loadModel(LoadNumber number, const PlannedLoad& planned, ModelTrial* trial) const;

  const TellLoadEvent m_tell;
  std::atomic<bool> m_isCancelled = false;
  LoadMarker m_marker;  ///< Used on the loader's thread.
  TaskRunner m_tasks;   ///< Last: its thread uses the rest.
};

}  // namespace quire
