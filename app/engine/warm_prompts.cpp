#include "app/engine/warm_prompts.h"

#include "app/engine/chat_preparation.h"

namespace quire {

void WarmPrompts::set(Engine* engine, const QStringList& systemPrompts) {
  if (engine) {
    for (const auto& tokens : m_tokens) engine->set_pinned(tokens, false);
  }
  m_systemPrompts = systemPrompts;
  adopt(engine);
}

void WarmPrompts::adopt(Engine* engine) {
  m_tokens.clear();
  if (!engine) return;
  for (const QString& prompt : m_systemPrompts) {
    if (prompt.isEmpty()) continue;
    if (auto tokens = personaTokens(*engine, prompt)) m_tokens.push_back(std::move(*tokens));
  }
  pin(*engine);
}

void WarmPrompts::pin(Engine& engine) const {
  for (const auto& tokens : m_tokens) engine.set_pinned(tokens, true);
}

}  // namespace quire
