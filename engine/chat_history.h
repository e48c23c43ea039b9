#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/request.h"

namespace quire {

/// The tokens that each chat held last, to say why a prompt stopped matching them. The chats that
/// were served longest ago are forgotten.
/// Thread: the engine's.
class ChatHistory {
 public:
  /// `tokens`: the prompt and the answer as far as they were computed.
  void record(int64_t chat, std::vector<TokenId> tokens);
  void forget(int64_t chat);

  /// Of a prompt's tokens `cached` were found; what ended it there. The message is left open.
  PrefixMiss explain(int64_t chat, std::span<const TokenId> prompt, int cached) const;

 private:
  static constexpr size_t kMaxChats = 64;
  struct Entry {
    int64_t chat = 0;
    std::vector<TokenId> tokens;
  };
  std::list<Entry> m_entries;  ///< The last served first.
  std::unordered_map<int64_t, std::list<Entry>::iterator> m_by_chat;
};

/// Of the messages that begin at `starts` (ascending), the one that holds `position`; -1: none.
int message_at(std::span<const int> starts, int position);

}  // namespace quire
