#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/cpu/core_share.h"

namespace quire::cpu {

/// A fixed set of threads that run the indices of a loop. Each thread has a contiguous range, which
/// it runs in ascending order; then it steals indices from the ranges of others. While other pools
/// of the process are busy, some threads are parked (CoreShare). Which thread runs an index never
/// changes a result.
///
/// Thread: parallel_for is called by one thread at a time and not from within its own function; the
/// caller takes part as thread 0.
/// Invariants: between jobs m_state is closed with no worker inside; a worker that comes too late
/// for a job finds it closed and does not touch it. Idle workers spin for some microseconds, then
/// sleep; parked workers neither spin nor wake for a job.
class ThreadPool {
 public:
  /// num_threads includes the caller; with one, everything runs inline.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(m_workers.size()) + 1; }
  /// Whether the last job did not use all threads, because other pools of the process were busy.
  bool is_limited() const { return m_limit < num_threads(); }

  /// Calls fn(index, thread) for each index in [0, n) in unspecified order, and returns after the
  /// last call. thread is in [0, num_threads()).
  template <typename Fn>
  void parallel_for(int64_t n, Fn&& fn) {
    run(
        n,
        [](void* context, int64_t index, int thread) {
          (*static_cast<std::remove_reference_t<Fn>*>(context))(index, thread);
        },
        const_cast<void*>(static_cast<const void*>(&fn)));
  }

 private:
  using Call = void (*)(void* context, int64_t index, int thread);
  /// The indices [next, end) of a thread, which others may steal.
  struct alignas(64) Range {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  void run(int64_t n, Call call, void* context);
  void open_job(int64_t n, Call call, void* context);
  void limit(int num_threads);
  void work(int thread);
  void run_indices(int thread);
  bool try_join(uint64_t state);
  void leave();
  void park(int thread);
  uint64_t wait_for_job(int thread, uint64_t seen);
  void wait_for_workers();

  CoreShare m_share;
  std::vector<std::thread> m_workers;

  // The job: written before m_state opens it, read by workers that joined it.
  Call m_call = nullptr;
  void* m_context = nullptr;
  int m_num_ranges = 0;
  std::vector<Range> m_ranges;  ///< One a thread; the first m_num_ranges are the job's.

  // Job number << 32 | closed << 31 | workers inside.
  alignas(64) std::atomic<uint64_t> m_state;
  std::atomic<int> m_num_sleeping{0};  ///< Workers that a job must wake.
  std::atomic<int> m_limit;            ///< Threads from this number on are parked.
  std::atomic<bool> m_caller_sleeps{false};
  std::atomic<bool> m_stop{false};
  std::mutex m_mutex;
  std::condition_variable m_job_opened;
  std::condition_variable m_limit_raised;
  std::condition_variable m_workers_left;
};

}  // namespace quire::cpu
