#pragma once

#include <atomic>
#include <cstdint>

namespace quire::cpu {

/// What of the processor's cores a thread pool may use while others of this process compute too:
/// two models that answer at the same time would otherwise have twice as many threads as there are
/// cores, and wait for those that do not run.
///
/// A pool counts as busy during a job and for some milliseconds after it, so that the serial part
/// of a step does not look like a pause. As long as the busy pools' threads fit the cores nobody is
/// limited; else each gets its part, at least one thread.
///
/// Thread: begin() and end() by the pool's caller; what they look at of others is atomic.
/// Invariants: one slot of the process's table a share, given back by the destructor. A share that
/// found no free slot is not seen by others, and sees them.
class CoreShare {
 public:
  explicit CoreShare(int num_threads);
  ~CoreShare();
  CoreShare(const CoreShare&) = delete;
  CoreShare& operator=(const CoreShare&) = delete;

  /// A job begins: how many threads may work on it, in [1, num_threads].
  int begin();
  void end();

 private:
  struct Slot {
    std::atomic<int> num_threads{0};     ///< 0: nobody's.
    std::atomic<int64_t> busy_until{0};  ///< Nanoseconds of the steady clock.
  };
  static constexpr int kNumSlots = 64;
  static Slot s_slots[kNumSlots];

  int m_num_threads;
  Slot* m_slot = nullptr;
};

}  // namespace quire::cpu
