#include "app/engine/model_trial.h"

#include <chrono>

namespace quire {

ModelTrial::ModelTrial(const TrialOfModel& trial, const QString& path)
    : m_thread([this, trial, path](const std::stop_token& stop) {
        m_promise.set_value(trial(path, stop));
      }) {}

Result<void> ModelTrial::join(const std::atomic<bool>& isCancelled) {
  constexpr std::chrono::milliseconds kSlice(20);
  while (m_result.wait_for(kSlice) != std::future_status::ready) {
    if (isCancelled) return Error{ErrorCode::kCancelled, ""};
  }
  return m_result.get();
}

}  // namespace quire
