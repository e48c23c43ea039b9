#include "engine/speculation/persona_texts.h"

#include <algorithm>

namespace quire {

void PersonaTexts::add(const TextOwner& owner, std::span<const TokenId> tokens) {
  if (owner.chat == 0) return;
  Entry& entry = m_entries[key_of(owner)];
  entry.last_use = ++m_num_uses;
  entry.texts.add(owner.chat, tokens);
  while (m_entries.size() > 1 && bytes() > m_most_bytes) drop_oldest();
}

const TextWindow* PersonaTexts::find(const TextOwner& owner) {
  if (owner.chat == 0) return nullptr;
  const auto found = m_entries.find(key_of(owner));
  if (found == m_entries.end()) return nullptr;
  found->second.last_use = ++m_num_uses;
  return &found->second.texts;
}

void PersonaTexts::forget(int64_t chat) {
  if (chat == 0) return;
  m_entries.erase(Key{.chat = chat});
  for (auto& [key, entry] : m_entries) entry.texts.forget(chat);
}

size_t PersonaTexts::bytes() const {
  size_t bytes = 0;
  for (const auto& [key, entry] : m_entries) bytes += sizeof(entry) + entry.texts.bytes();
  return bytes;
}

PersonaTexts::Key PersonaTexts::key_of(const TextOwner& owner) {
  return {.persona = owner.persona, .chat = owner.persona != 0 ? 0 : owner.chat};
}

void PersonaTexts::drop_oldest() {
  m_entries.erase(std::ranges::min_element(
      m_entries, {}, [](const auto& entry) { return entry.second.last_use; }));
}

}  // namespace quire
