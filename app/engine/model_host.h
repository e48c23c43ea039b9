#pragma once

#include <QString>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/engine/outbox.h"
#include "app/engine/serving_model.h"

namespace quire {

/// Loads models on a thread of its own, each onto a backend of its own, so that those which are
/// serving go on until the next is there. One load at a time: it is planned, waits until it may go
/// on, and ends.
///
/// Thread: public calls from any; events come into the outbox from the loader's.
/// Invariants: every load ends with one LoadEnded, unless the host is destroyed first; the
/// destructor returns after the tensor that is being read.
class ModelHost {
 public:
  explicit ModelHost(Outbox& outbox);
  ~ModelHost();

  /// Reads the head and says LoadPlanned. The load before it has ended.
  void load(LoadNumber number, const LoadPlanInput& input);
  /// There is room: loads it.
  void goOn(LoadNumber number);
  /// Gives the load up: it ends as cancelled, within the tensor that is being read.
  void cancel(LoadNumber number);
  /// The model of the load that ended last, once. Null if nothing came of it.
  std::unique_ptr<ServingModel> takeModel(LoadNumber number);

 private:
  using Loaded = Result<std::unique_ptr<ServingModel>>;

  void run();
  void carryOut(LoadNumber number, const LoadPlanInput& input);
  /// False: cancelled.
  bool waitForRoom(LoadNumber number);
  Loaded loadModel(LoadNumber number, const PlannedLoad& planned) const;
  void end(LoadNumber number, Loaded model, const QString& sentence = {});

  Outbox& m_outbox;
  std::atomic<bool> m_cancelled{false};

  std::mutex m_mutex;  ///< Guards the rest.
  std::condition_variable m_changed;
  std::optional<std::pair<LoadNumber, LoadPlanInput>> m_wanted;
  LoadNumber m_current = 0;
  LoadNumber m_mayGoOn = 0;
  LoadNumber m_done = 0;
  std::unique_ptr<ServingModel> m_model;  ///< Of m_done.
  bool m_stopping = false;

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
