#include "kernels/cpu/thread_pool.h"

#include <chrono>

#include "kernels/base/check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quire::cpu {
namespace {

constexpr uint64_t kClosed = uint64_t{1} << 31;
constexpr uint64_t kCountMask = kClosed - 1;

uint64_t job_number(uint64_t state) {
  return state >> 32;
}

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Bridges the serial code between two operations of a step.
constexpr std::chrono::microseconds kSpin{25};

template <typename Condition>
bool spin_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {
      if (condition()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return condition();
}

}  // namespace

ThreadPool::ThreadPool(int num_threads)
    : m_share(num_threads),
      m_ranges(static_cast<size_t>(num_threads)),
      m_state(kClosed),
      m_limit(num_threads) {
  CHECK(num_threads >= 1);
  for (int i = 1; i < num_threads; ++i) m_workers.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_job_opened.notify_all();
  m_limit_raised.notify_all();
  for (std::thread& worker : m_workers) worker.join();
}

void ThreadPool::run(int64_t n, Call call, void* context) {
  if (n <= 1) {
    if (n == 1) call(context, 0, 0);
    return;
  }
  limit(m_share.begin());
  if (m_limit == 1) {
    for (int64_t i = 0; i < n; ++i) call(context, i, 0);
  } else {
    open_job(n, call, context);
    run_indices(0);
    m_state.fetch_or(kClosed);
    wait_for_workers();
  }
  m_share.end();
}

void ThreadPool::limit(int num_threads) {
  const int before = m_limit.exchange(num_threads);
  if (num_threads <= before) return;
  { std::lock_guard lock(m_mutex); }
  m_limit_raised.notify_all();
}

void ThreadPool::open_job(int64_t n, Call call, void* context) {
  m_call = call;
  m_context = context;
  m_num_ranges = m_limit.load();
  for (int i = 0; i < m_num_ranges; ++i) {
    Range& range = m_ranges[static_cast<size_t>(i)];
    range.next.store(n * i / m_num_ranges, std::memory_order_relaxed);
    range.end = n * (i + 1) / m_num_ranges;
  }
  m_state.store((job_number(m_state.load()) + 1) << 32);
  // Sequentially consistent with wait_for_job: either the worker sees the job, or this sees it
  // sleep.
  if (m_num_sleeping.load() > 0) {
    { std::lock_guard lock(m_mutex); }
    m_job_opened.notify_all();
  }
}

void ThreadPool::run_indices(int thread) {
  const Call call = m_call;
  void* const context = m_context;
  for (int i = 0; i < m_num_ranges; ++i) {
    Range& range = m_ranges[static_cast<size_t>((thread + i) % m_num_ranges)];
    for (int64_t k; (k = range.next.fetch_add(1, std::memory_order_relaxed)) < range.end;) {
      call(context, k, thread);
    }
  }
}

void ThreadPool::work(int thread) {
  uint64_t seen = 0;
  while (true) {
    park(thread);
    const uint64_t state = wait_for_job(thread, seen);
    if (m_stop) return;
    if (thread >= m_limit.load()) continue;
    seen = job_number(state);
    if (!try_join(state)) continue;
    run_indices(thread);
    leave();
  }
}

bool ThreadPool::try_join(uint64_t state) {
  const uint64_t number = job_number(state);
  while (job_number(state) == number && (state & kClosed) == 0) {
    if (m_state.compare_exchange_weak(state, state + 1)) return true;
  }
  return false;
}

void ThreadPool::leave() {
  const uint64_t before = m_state.fetch_sub(1);
  if ((before & kCountMask) == 1 && (before & kClosed) != 0 && m_caller_sleeps.load()) {
    { std::lock_guard lock(m_mutex); }
    m_workers_left.notify_one();
  }
}

/// Blocks while the thread is above the limit.
void ThreadPool::park(int thread) {
  if (thread < m_limit.load()) return;
  std::unique_lock lock(m_mutex);
  m_limit_raised.wait(lock, [&] { return m_stop.load() || thread < m_limit.load(); });
}

/// Returns early if this thread is above the limit.
uint64_t ThreadPool::wait_for_job(int thread, uint64_t seen) {
  uint64_t state = 0;
  const auto ready = [&] {
    state = m_state.load();
    if (m_stop.load() || thread >= m_limit.load()) return true;
    return (job_number(state) != seen && (state & kClosed) == 0);
  };
  if (spin_until(ready)) return state;
  std::unique_lock lock(m_mutex);
  m_num_sleeping.fetch_add(1);
  m_job_opened.wait(lock, ready);
  m_num_sleeping.fetch_sub(1);
  return state;
}

void ThreadPool::wait_for_workers() {
  const auto ready = [this] { return (m_state.load() & kCountMask) == 0; };
  if (spin_until(ready)) return;
  std::unique_lock lock(m_mutex);
  m_caller_sleeps = true;
  m_workers_left.wait(lock, ready);
  m_caller_sleeps = false;
}

}  // namespace quire::cpu
