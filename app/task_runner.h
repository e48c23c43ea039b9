#pragma once

#include <QObject>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace quire {

/// Runs jobs on a worker thread, one after another, and delivers each result on the owner's thread.
/// A job takes a std::stop_token, which says when its result is no longer wanted.
///
/// Thread: the owner's for every call but post(); the worker is always the same one.
/// Invariants: a cancelled job's result is never delivered; the destructor cancels and waits.
class TaskRunner : public QObject {
 public:
  explicit TaskRunner(QObject* parent = nullptr) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
    m_pool.setExpiryTimeout(-1);
  }
  ~TaskRunner() override {
    cancel();
    m_pool.waitForDone();
  }

  /// `then` gets what `job` returns.
  template <typename Job, typename Then>
  void run(Job job, Then then) {
    ++m_numOpen;
    m_pool.start([this, stop = m_stop.get_token(), job = std::move(job), then = std::move(then)] {
      auto result = std::make_shared<std::invoke_result_t<Job, std::stop_token>>(job(stop));
      QMetaObject::invokeMethod(
          this,
          [this, stop, result, then] {
            if (stop.stop_requested()) return;
            --m_numOpen;
            then(std::move(*result));
          },
          Qt::QueuedConnection);
    });
  }
  /// A job without a result, which the destructor drops if it has not begun. One of a higher
  /// priority comes before those that have not begun. Thread: any.
  void post(std::function<void()> job, int priority = 0) { m_pool.start(std::move(job), priority); }
  /// As run(), in place of all jobs whose results are still to come.
  template <typename Job, typename Then>
  void runNewest(Job job, Then then) {
    cancel();
    run(std::move(job), std::move(then));
  }
  void cancel() {
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_pool.clear();
    m_numOpen = 0;
  }
  bool isBusy() const { return m_numOpen > 0; }  ///< A result is still to come.

 private:
  std::stop_source m_stop;
  int m_numOpen = 0;
  QThreadPool m_pool;
};

}  // namespace quire
