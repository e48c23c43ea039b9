#pragma once

#include <cstdint>

namespace quire {

/// How much the content of a block that nobody references is worth. What is worth least is taken
/// first; of equal ones the least recently used.
enum class BlockWorth : uint8_t {
  kNone,      ///< Nothing: its content has no name.
  kChat,      ///< Of a chat that nobody looks at, or of no chat.
  kOpenChat,  ///< Of a chat that is open: its next turn is likely.
  kPersona,   ///< Of a prefix that many chats share.
  kPinned,    ///< The user wants it kept.
};
inline constexpr int kNumBlockWorths = 5;

}  // namespace quire
