#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// While it exists, the thread's budgets of processor time share `cpu_time`: the steps of reading a
/// hostile file, each within its own limit, do not add up. Of nested ones, the outermost counts.
///
/// Thread: the one that creates it.
class SharedCpuTime {
 public:
  explicit SharedCpuTime(std::chrono::milliseconds cpu_time);
  ~SharedCpuTime();
  SharedCpuTime(const SharedCpuTime&) = delete;
  SharedCpuTime& operator=(const SharedCpuTime&) = delete;

 private:
  friend class WorkBudget;

  std::chrono::milliseconds m_limit;
  std::chrono::nanoseconds m_left;
};

/// Limits the work that untrusted input can cause: steps, bytes, CPU time, cancellation. Loops call
/// spend() and end when it returns false; their caller reports error().
///
/// Thread: one, on which the CPU time is measured; it may be cancelled from any.
/// Invariants: once a limit is exceeded, spend() and reserve() return false for ever.
class WorkBudget {
 public:
  struct Limits {
    uint64_t steps = std::numeric_limits<uint64_t>::max();
    uint64_t bytes = std::numeric_limits<uint64_t>::max();
    /// Of the thread, so that an overloaded machine rejects nothing.
    std::chrono::milliseconds cpu_time = std::chrono::hours(24);
    std::stop_token stop = {};
  };

  explicit WorkBudget(const Limits& limits);
  /// For work in proportion to a text: 200 steps, 64 bytes and a microsecond for each of its bytes,
  /// and a constant that short texts need, a quarter of a second among it.
  static WorkBudget for_text(size_t num_bytes);

  /// Counts steps; about a microsecond's work each at most. The clock is read every 4,096 steps.
  bool spend(uint64_t steps = 1) {
    if (steps >= m_steps_to_check) return check(steps);
    m_steps_to_check -= steps;
    return true;
  }
  /// Counts memory that is about to be allocated for a result.
  bool reserve(uint64_t bytes) {
    if (bytes <= m_bytes_left && !is_spent()) {
      m_bytes_left -= bytes;
      return true;
    }
    return fail(is_spent() ? m_exceeded : Exceeded::kBytes);
  }
  /// Reads the clock and the stop token now: for work whose steps cannot be counted.
  bool check_now() { return check(0); }

  bool is_spent() const { return m_exceeded != Exceeded::kNothing; }
  /// kUnsupported with the sentence "`what` takes more than ..."; kCancelled after a cancellation.
  Error error(std::string_view what) const;

 private:
  enum class Exceeded { kNothing, kSteps, kBytes, kTime, kSharedTime, kCancelled };

  bool check(uint64_t steps);
  bool check_time();
  bool fail(Exceeded limit);

  Limits m_limits;
  uint64_t m_steps_left;          ///< Beyond those of the current interval.
  uint64_t m_steps_to_check = 0;  ///< Until the clock is read again.
  uint64_t m_bytes_left;
  std::chrono::nanoseconds m_time_left;
  std::chrono::nanoseconds m_last_check;  ///< Of the thread's clock.
  std::chrono::milliseconds m_shared{};   ///< The limit that was exceeded with kSharedTime.
  Exceeded m_exceeded = Exceeded::kNothing;
};

}  // namespace quire
