#include "app/engine/warm_prompts.h"

#include <algorithm>

#include "engine/cache/block_pool.h"

namespace quire {

void WarmPrompts::set(Engine& engine, std::vector<std::vector<TokenId>> prompts) {
  interrupt(engine);
  for (const auto& tokens : m_tokens) engine.set_pinned(tokens, false);
  clear();
  m_tokens = std::move(prompts);
  pin(engine);
}

void WarmPrompts::pin(Engine& engine) const {
  for (const auto& tokens : m_tokens) engine.set_pinned(tokens, true);
}

void WarmPrompts::compute(Engine& engine) {
  while (m_request == 0 && m_next < m_tokens.size()) {
    const std::vector<TokenId>& tokens = m_tokens[m_next];
    const int end = sliceEnd(engine, tokens);
    auto request = end > 0 ? engine.warm({tokens.begin(), tokens.begin() + end})
                           : Result<RequestId>(RequestId{0});
    m_request = request.value_or(0);  // What it refuses is said to those who ask with it.
    m_asked = end;
    if (m_request != 0) return;
    ++m_next;
    m_asked = 0;
  }
}

int WarmPrompts::sliceEnd(Engine& engine, const std::vector<TokenId>& tokens) const {
  const int whole = static_cast<int>(tokens.size()) / kBlockSize * kBlockSize;
  const int there = engine.set_pinned(tokens, true);
  const bool hasNoRoom = there < m_asked;
  if (there >= whole || hasNoRoom) return 0;
  return std::min(whole, there + kSliceTokens);
}

void WarmPrompts::interrupt(Engine& engine) {
  if (!isWanted()) return;
  if (m_request != 0) engine.cancel(m_request);
  m_request = 0;
  m_asked = 0;  // It may be cut off anywhere: that is no want of room.
  pin(engine);  // Else the one that comes would take these blocks before older ones.
}

void WarmPrompts::note(const std::vector<RequestEvent>& events) {
  for (const RequestEvent& event : events) {
    if (event.id == m_request && event.finish) m_request = 0;
  }
}

}  // namespace quire
