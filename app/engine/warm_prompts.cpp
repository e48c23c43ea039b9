#include "app/engine/warm_prompts.h"

#include <algorithm>
#include <utility>

#include "engine/cache/block_pool.h"

namespace quire {

void WarmPrompts::set(Engine& engine, std::vector<PersonaTokens> prompts) {
  interrupt(engine);
  for (const Prompt& prompt : m_prompts) {
    engine.set_pinned(prompt.persona.tokens, false, prompt.adapter);
  }
  clear();
  for (PersonaTokens& persona : prompts) m_prompts.push_back({std::move(persona)});
  pin(engine);
}

void WarmPrompts::pin(Engine& engine) {
  for (Prompt& prompt : m_prompts) pin(engine, prompt);
}

int WarmPrompts::pin(Engine& engine, Prompt& prompt) {
  const std::vector<TokenId>& tokens = prompt.persona.tokens;
  const auto adapter = engine.find_adapter(prompt.persona.adapter);
  if (!adapter) return 0;
  // Its files changed: what the old ones computed is of no use any more.
  if (*adapter != prompt.adapter) engine.set_pinned(tokens, false, prompt.adapter);
  prompt.adapter = *adapter;
  return engine.set_pinned(tokens, true, *adapter);
}

void WarmPrompts::compute(Engine& engine) {
  while (m_request == 0 && m_next < m_prompts.size()) {
    m_request = submitSlice(engine, m_prompts[m_next]);
    if (m_request != 0) return;
    ++m_next;
    m_asked = 0;
  }
}

// What is refused here is said to those who ask with it.
RequestId WarmPrompts::submitSlice(Engine& engine, Prompt& prompt) {
  const PersonaTokens& persona = prompt.persona;
  if (!persona.adapter.empty() && !engine.add_adapter(persona.adapter)) return 0;
  m_asked = sliceEnd(engine, prompt);
  if (m_asked == 0) return 0;
  const auto end = persona.tokens.begin() + m_asked;
  return engine.warm({persona.tokens.begin(), end}, prompt.adapter).value_or(0);
}

int WarmPrompts::sliceEnd(Engine& engine, Prompt& prompt) const {
  const int whole = static_cast<int>(prompt.persona.tokens.size()) / kBlockSize * kBlockSize;
  const int there = pin(engine, prompt);
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
