#include "app/engine/throughput_meter.h"

namespace quire {

std::optional<double> ThroughputMeter::add(int tokens, Clock::time_point now) {
  m_tokens += tokens;
  const auto elapsed = now - m_since;
  if (elapsed < kInterval) return std::nullopt;
  const double rate = m_tokens / std::chrono::duration<double>(elapsed).count();
  restart(now);
  return rate;
}

void ThroughputMeter::restart(Clock::time_point now) {
  m_since = now;
  m_tokens = 0;
}

}  // namespace quire
