#pragma once

#include <atomic>
#include <memory>

#include "app/engine/load_marker.h"
#include "app/engine/model_trial.h"
#include "app/engine/service_event.h"
#include "app/task_runner.h"

namespace quire {

/// The trials that must pass before files are read; null: no trial is needed.
struct LoadTrials {
  std::shared_ptr<ModelTrial> model = nullptr;
  /// If it refuses the draft model, the model is loaded without one.
  std::shared_ptr<ModelTrial> draft = nullptr;
};

/// Plans and loads models on its own thread, each onto its own backend, so that the loaded models
/// serve until the next one is ready.
///
/// Thread: the window's; events come on the loader's.
/// Invariants: no byte of a model is read here before its trial has passed; the marker names it
/// from before the trial ends until the load has ended, failed or been cancelled; plan() is
/// followed by one LoadPlanned and load() by one LoadEnded, unless the host is destroyed first; the
/// destructor returns after the tensor that is being read.
class ModelHost {
 public:
  /// `markerFolder`: of the LoadMarker.
  explicit ModelHost(TellLoadEvent tell, const QString& markerFolder = {})
      : m_tell(std::move(tell)), m_marker(markerFolder) {}
  ~ModelHost() { cancel(); }

  /// Begins a load: reads the file's header, unless the trial refuses the model. The previous load
  /// must have ended.
  void plan(LoadNumber number, const LoadPlanInput& input, const LoadTrials& trials = {});
  /// Loads the planned model.
  void load(LoadNumber number, const PlannedLoad& planned);
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
  Loaded loadModel(LoadNumber number, const PlannedLoad& planned) const;

  const TellLoadEvent m_tell;
  std::atomic<bool> m_isCancelled = false;
  LoadMarker m_marker;  ///< Used on the loader's thread.
  TaskRunner m_tasks;   ///< Last: its thread uses the rest.
};

}  // namespace quire
