#pragma once

#include <chrono>
#include <optional>

#include "app/engine/engine_report.h"
#include "app/engine/latency_meter.h"
#include "app/engine/throughput_meter.h"
#include "engine/request.h"

namespace quire {

/// How fast the answers of one engine come: tokens per second of all together, and how long the
/// first token and those after it took.
/// Thread: the engine's.
class PaceMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts the tokens of an event. `lastToken`: when the answer's token before came; is set anew.
  void count(const RequestEvent& event, Clock::time_point& lastToken);
  /// A step has ended, with so many tokens. Returns the rate twice a second, else nothing.
  std::optional<double> endStep(int tokens) { return m_throughput.add(tokens, Clock::now()); }
  /// Work has ended: the rate of the whole of it, if none was told before.
  std::optional<double> endWork() { return m_throughput.finish(Clock::now()); }
  /// Work begins after a pause that shall not count.
  void restart() { m_throughput.restart(Clock::now()); }
  /// Another engine serves: what was measured was not its.
  void clear();
  void fill(EngineReport& report) const;

 private:
  ThroughputMeter m_throughput;
  LatencyMeter m_firstToken;
  LatencyMeter m_betweenTokens;
};

}  // namespace quire
