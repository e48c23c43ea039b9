#include "app/engine/pace_meter.h"

namespace quire {

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
