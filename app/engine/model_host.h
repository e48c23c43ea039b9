#pragma once

#include <QString>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/engine/service_event.h"
#include "app/engine/serving_model.h"

namespace quire {

/// Loads models on a thread of its own, each onto a backend of its own, so that the one which is
/// serving goes on until the next is there.
///
/// Thread: load() from any; the callbacks come on the loader's thread.
/// Invariants: only the last load that was asked for is reported; the destructor returns after the
/// tensor that is being read.
class ModelHost {
 public:
  struct Options {
    BackendOptions backend;
    EngineOptions engine;
    std::function<void(LoadNumber, double fraction)> progressed;
    std::function<void(LoadNumber, Result<std::unique_ptr<ServingModel>>)> loaded;
  };

  explicit ModelHost(Options options);
  ~ModelHost();

  /// Starts loading once `room` is ready; a load that is under way is given up.
  void load(LoadNumber number, const QString& path, std::shared_future<void> room);

 private:
  struct Wanted {
    LoadNumber number = 0;
    QString path;
    std::shared_future<void> room;
  };

  void run();
  Result<std::unique_ptr<ServingModel>> loadModel(const Wanted& wanted) const;

  const Options m_options;
  std::atomic<bool> m_cancelled = false;

  std::mutex m_mutex;  ///< Guards everything below.
  std::condition_variable m_changed;
  std::optional<Wanted> m_wanted;
  bool m_stopping = false;

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
