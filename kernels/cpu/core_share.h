#pragma once

#include <atomic>
#include <cstdint>

namespace quire::cpu {

/// Divides the cores among the thread pools of this process that are busy at the same time: two
/// models that answer together would otherwise have twice as many threads as cores.
///
/// A pool is busy during a job and for some milliseconds after it, which covers the serial code of
/// a step. If the threads of all busy pools exceed the cores, each pool is limited to its share, at
/// least one thread.
///
/// Thread: begin() and end() are called by the pool's caller; the slots are atomic.
/// Invariants: a share has one slot of the process's table, freed by the destructor. If no slot was
/// free, other shares do not count its threads, but it counts theirs.
class CoreShare {
 public:
  explicit CoreShare(int num_threads);
  ~CoreShare();
  CoreShare(const CoreShare&) = delete;
  CoreShare& operator=(const CoreShare&) = delete;

  /// Begins a job; returns the number of threads for it, in [1, num_threads].
  int begin();
  void end();

 private:
  struct Slot {
    std::atomic<int> num_threads{0};     ///< 0: free.
    std::atomic<int64_t> busy_until{0};  ///< Nanoseconds of the steady clock.
  };
  static constexpr int kNumSlots = 64;
  static Slot s_slots[kNumSlots];

  int m_num_threads;
  Slot* m_slot = nullptr;
};

}  // namespace quire::cpu
