#pragma once

#include <chrono>
#include <optional>

#include "app/engine/engine_report.h"
#include "app/engine/latency_meter.h"
#include "engine/request.h"

namespace quire {

/// Measures the speed of one engine: tokens per second of all answers together, and the latencies
/// of first and later tokens. The rate covers about the last half second, or less if work began
/// only recently, so that short answers have a rate, too.
/// Thread: the engine's.
class PaceMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts the tokens of an event. `lastToken`: when the answer's token before came; is set anew.
  void count(const RequestEvent& event, Clock::time_point& lastToken);
  /// A step has ended, with so many tokens. Returns the rate soon after work began and then twice a
  /// second, else nothing.
  std::optional<double> endStep(int tokens, Clock::time_point now = Clock::now());
  /// Work has ended: the rate of the whole of it, if none was returned before.
  std::optional<double> endWork(Clock::time_point now = Clock::now());
  /// Work begins; a pause before it does not count.
  void restart(Clock::time_point now = Clock::now());
  /// Another engine serves: drops the earlier measurements.
  void clear();
  void fill(EngineReport& report) const;

 private:
  double takeRate(Clock::time_point now);

  Clock::time_point m_since = {};
  int m_tokens = 0;        ///< Since then.
  bool m_hasRate = false;  ///< A rate of this work was returned.
  LatencyMeter m_firstToken;
  LatencyMeter m_betweenTokens;
};

}  // namespace quire
