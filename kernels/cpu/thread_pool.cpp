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

/// Long enough to bridge the serial part between two operations of a step, short enough not to
/// show when idle.
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

ThreadPool::ThreadPool(int num_threads) : m_state(kClosed) {
  CHECK(num_threads >= 1);
  for (int i = 1; i < num_threads; ++i) m_workers.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_job_opened.notify_all();
  for (std::thread& worker : m_workers) worker.join();
}

void ThreadPool::run(int64_t n, Call call, void* context) {
  if (n <= 1 || m_workers.empty()) {
    for (int64_t i = 0; i < n; ++i) call(context, i, 0);
    return;
  }
  m_call = call;
  m_context = context;
  m_num_indices = n;
  m_next_index.store(0, std::memory_order_relaxed);
  m_state.store((job_number(m_state.load()) + 1) << 32);
  // Sequentially consistent with wait_for_job: either it sees the job, or we see it sleeping.
  if (m_num_sleeping.load() > 0) {
    { std::lock_guard lock(m_mutex); }
    m_job_opened.notify_all();
  }
  take_indices(0);
  m_state.fetch_or(kClosed);
  wait_for_workers();
}

void ThreadPool::take_indices(int thread) {
  const Call call = m_call;
  void* const context = m_context;
  const int64_t n = m_num_indices;
  for (int64_t i; (i = m_next_index.fetch_add(1, std::memory_order_relaxed)) < n;) {
    call(context, i, thread);
  }
}

void ThreadPool::work(int thread) {
  uint64_t seen = 0;
  while (true) {
    const uint64_t state = wait_for_job(seen);
    if (m_stop) return;
    seen = job_number(state);
    if (!try_join(state)) continue;
    take_indices(thread);
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

uint64_t ThreadPool::wait_for_job(uint64_t seen) {
  uint64_t state = 0;
  const auto ready = [&] {
    state = m_state.load();
    return m_stop.load() || (job_number(state) != seen && (state & kClosed) == 0);
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
