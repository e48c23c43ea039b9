#pragma once

#include <chrono>
#include <optional>

namespace quire {

/// Tokens per second of all answers together, over the last half second or so; soon after work
/// began over less, so that short answers have a rate too. Thread: one.
class ThroughputMeter {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{500};
  static constexpr std::chrono::milliseconds kFirstInterval{100};

  /// Counts the tokens of a step that ended `now`. Returns the rate soon after work began and then
  /// twice a second, else nothing.
  std::optional<double> add(int tokens, Clock::time_point now);
  /// Work ended. Returns its rate if it was over before any was told.
  std::optional<double> finish(Clock::time_point now);
  /// Work begins, maybe after a pause that shall not count.
  void restart(Clock::time_point now);

 private:
  std::optional<double> take(Clock::time_point now);

  Clock::time_point m_since = {};
  int m_tokens = 0;
  bool m_isTold = false;  ///< Some rate of this work.
};

}  // namespace quire
