#pragma once

#include <chrono>
#include <optional>

namespace quire {

/// Tokens per second of all answers together, over the last half second or so.
/// Thread: one.
class ThroughputMeter {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{500};

  /// Counts the tokens of a step that ended `now`. Returns the rate twice a second, else nothing.
  std::optional<double> add(int tokens, Clock::time_point now);
  /// Work ended, or begins after a pause that shall not count.
  void restart(Clock::time_point now);

 private:
  Clock::time_point m_since = {};
  int m_tokens = 0;
};

}  // namespace quire
