#include "app/engine/pace_meter.h"

namespace quire {
namespace {

constexpr std::chrono::milliseconds kInterval{500};
constexpr std::chrono::milliseconds kFirstInterval{100};

}  // namespace

// The first token's time is the engine's, from the moment that the request came.
void PaceMeter::count(const RequestEvent& event, Clock::time_point& lastToken) {
  const int tokens = static_cast<int>(event.tokens.size());
  if (tokens == 0) return;
  const auto now = Clock::now();
  if (event.usage.output_tokens == tokens) {
    m_firstToken.add(event.usage.first_token_ms, now);
  } else {
    const std::chrono::duration<double, std::milli> took = now - lastToken;
    for (int i = 0; i < tokens; ++i) m_betweenTokens.add(took.count() / tokens, now);
  }
  lastToken = now;
}

std::optional<double> PaceMeter::endStep(int tokens, Clock::time_point now) {
  m_tokens += tokens;
  const bool isFirst = !m_hasRate && m_tokens > 0;
  if (now - m_since < (isFirst ? kFirstInterval : kInterval)) return std::nullopt;
  return takeRate(now);
}

std::optional<double> PaceMeter::endWork(Clock::time_point now) {
  std::optional<double> rate;
  if (!m_hasRate && m_tokens > 0 && now > m_since) rate = takeRate(now);
  restart(now);
  return rate;
}

double PaceMeter::takeRate(Clock::time_point now) {
  const double rate = m_tokens / std::chrono::duration<double>(now - m_since).count();
  const bool hasRate = m_hasRate || m_tokens > 0;
  restart(now);
  m_hasRate = hasRate;
  return rate;
}

void PaceMeter::restart(Clock::time_point now) {
  m_since = now;
  m_tokens = 0;
  m_hasRate = false;
}

void PaceMeter::clear() {
  m_firstToken.clear();
  m_betweenTokens.clear();
}

void PaceMeter::fill(EngineReport& report) const {
  const auto now = Clock::now();
  report.firstToken = m_firstToken.figures(now);
  report.betweenTokens = m_betweenTokens.figures(now);
}

}  // namespace quire
