#include "app/engine/throughput_meter.h"

namespace quire {

std::optional<double> ThroughputMeter::add(int tokens, Clock::time_point now) {
  m_tokens += tokens;
  const bool isFirst = !m_isTold && m_tokens > 0;
  if (now - m_since < (isFirst ? kFirstInterval : kInterval)) return std::nullopt;
  return take(now);
}

std::optional<double> ThroughputMeter::finish(Clock::time_point now) {
  const bool isWanted = !m_isTold && m_tokens > 0 && now > m_since;
  const auto rate = isWanted ? take(now) : std::nullopt;
  restart(now);
  return rate;
}

std::optional<double> ThroughputMeter::take(Clock::time_point now) {
  const double rate = m_tokens / std::chrono::duration<double>(now - m_since).count();
  const bool isTold = m_isTold || m_tokens > 0;
  restart(now);
  m_isTold = isTold;
  return rate;
}

void ThroughputMeter::restart(Clock::time_point now) {
  m_since = now;
  m_tokens = 0;
  m_isTold = false;
}

}  // namespace quire
