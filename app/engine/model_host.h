#pragma once

#include <atomic>

#include "app/engine/service_event.h"
#include "app/task_runner.h"

namespace quire {

/// Plans and loads models on a thread of its own, each onto a backend of its own, so that those
/// which are serving go on until the next is there.
///
/// Thread: the window's; events come on the loader's.
/// Invariants: plan() is followed by one LoadPlanned and load() by one LoadEnded, unless the host
/// is destroyed first; the destructor returns after the tensor that is being read.
class ModelHost {
 public:
  explicit ModelHost(TellLoadEvent tell) : m_tell(std::move(tell)) {}
  ~ModelHost() { cancel(); }

  /// Begins a load: reads the file's head. The load before it has ended.
  void plan(LoadNumber number, const LoadPlanInput& input);
  /// Ends it: loads what was planned.
  void load(LoadNumber number, const PlannedLoad& planned);
  /// Of the load that began last: load() ends without a model, within the tensor that is being
  /// read.
  void cancel() { m_isCancelled = true; }
  /// Frees a model that nobody wants any more, which takes time.
  void discard(std::shared_ptr<ServingModel> model);

 private:
  using Loaded = Result<std::shared_ptr<ServingModel>>;
  Loaded loadModel(LoadNumber number, const PlannedLoad& planned) const;

  const TellLoadEvent m_tell;
  std::atomic<bool> m_isCancelled = false;
  TaskRunner m_tasks;  ///< Last: its thread uses the rest.
};

}  // namespace quire
