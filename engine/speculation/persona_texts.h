#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>

#include "engine/speculation/text_window.h"

namespace quire {

/// Who a text belongs to. Guesses are made from texts of the same persona, or of the same chat if
/// there is no persona.
struct TextOwner {
  int64_t persona = 0;  ///< 0: none.
  int64_t chat = 0;     ///< 0: none; its text is not kept, because it could not be deleted later.
};

/// Texts of chats, from which other chats of their persona and later answers of the same chat are
/// guessed: one TextWindow for each persona, and for each chat without one. In memory only.
/// Thread: one at a time. Invariants: the windows take at most `most_bytes` (except a single one),
/// those used longest ago are dropped first; texts of one persona are never found under another.
class PersonaTexts {
 public:
  explicit PersonaTexts(size_t most_bytes = kMostBytes) : m_most_bytes(most_bytes) {}

  /// Does nothing for an owner without a chat.
  void add(const TextOwner& owner, std::span<const TokenId> tokens);
  /// The window of that owner, valid until the next call of another function; null if there is
  /// none.
  const TextWindow* find(const TextOwner& owner);
  /// Removes the texts of a chat under every persona that it has had.
  void forget(int64_t chat);
  size_t bytes() const;

  static constexpr size_t kMostBytes = size_t{8} << 20;

 private:
  struct Key {
    int64_t persona = 0;
    int64_t chat = 0;  ///< 0 if there is a persona.
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    TextWindow texts;
    uint64_t last_use = 0;
  };
  static Key key_of(const TextOwner& owner);
  void drop_oldest();

  size_t m_most_bytes;
  std::map<Key, Entry> m_entries;
  uint64_t m_num_uses = 0;
};

}  // namespace quire
