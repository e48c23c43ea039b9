#pragma once

#include <cstdint>
#include <list>
#include <set>
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
  /// `tokens`: the prompt and the answer as far as they were computed; `message_starts`: where each
  /// message begins, the answer included.
  void record(int64_t chat, std::vector<TokenId> tokens, std::vector<int> message_starts = {});
  void forget(int64_t chat);

  /// Of what the chat held last, the message with these tokens at `position`; -1: they are not
  /// there.
  int find_message(int64_t chat, int position, std::span<const TokenId> tokens) const;

  std::set<int64_t> chats_beginning_with(std::span<const TokenId> tokens) const;

  /// Of a prompt's tokens `cached` were found; what ended it there. The message is left open.
  PrefixMiss explain(int64_t chat, std::span<const TokenId> prompt, int cached) const;

 private:
  static constexpr size_t kMaxChats = 64;
  struct Entry {
    int64_t chat = 0;
    std::vector<TokenId> tokens;
    std::vector<int> message_starts;
  };
  std::list<Entry> m_entries;  ///< The last served first.
  std::unordered_map<int64_t, std::list<Entry>::iterator> m_by_chat;
};

bool begins_with(std::span<const TokenId> tokens, std::span<const TokenId> beginning);

/// Of the messages that begin at `starts` (ascending), the one that holds `position`; -1: none.
int message_at(std::span<const int> starts, int position);

/// The same where what stands before the first message belongs to it; -1: there are none.
int message_holding(std::span<const int> starts, int position);

}  // namespace quire
