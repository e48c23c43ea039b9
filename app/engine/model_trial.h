#pragma once

#include <QString>

#include <atomic>
#include <functional>
#include <future>
#include <stop_token>
#include <thread>

#include "kernels/base/result.h"

namespace quire {

/// Reads a model or adapter in a separate process first. An error means that it must not be loaded.
/// Thread: any.
using TrialOfModel = std::function<Result<void>(const QString& path, const std::stop_token& stop)>;

/// A trial that runs in parallel with the loads before its own.
///
/// Thread: join() one at a time; the destructor stops the trial and waits for it, which takes some
/// 20 ms.
class ModelTrial {
 public:
  ModelTrial(const TrialOfModel& trial, const QString& path);

  /// Waits for the result; kCancelled as soon as `isCancelled`.
  Result<void> join(const std::atomic<bool>& isCancelled);

 private:
  std::promise<Result<void>> m_promise;
  std::shared_future<Result<void>> m_result{m_promise.get_future()};
  std::jthread m_thread;  ///< Last: it uses the rest.
};

}  // namespace quire
