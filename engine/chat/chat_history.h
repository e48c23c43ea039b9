#pragma once

#include <cstdint>
#include <list>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// Where a prompt stopped matching what had been computed, and why.
struct PrefixMiss {
  enum class Reason {
    kNone,     ///< All but the last block was cached.
    kNew,      ///< The first request of its chat: there is nothing to compare it with.
    kChanged,  ///< It differs from what this chat held before, at `position`.
    kEvicted,  ///< It begins as before, but the blocks from `position` on were evicted.
    /// The blocks are there, but no recurrent state, or not the window, to go on from after
    /// `position`.
    kNoState,
  };
  Reason reason = Reason::kNone;
  int position = 0;  ///< The first token, counted from 0, that had to be computed although known.
  int message = -1;  ///< Of the request's messages, the one that holds `position`; -1: unknown.
};

/// The tokens that each chat held last, to explain why a prompt stopped matching them. The chats
/// served longest ago are forgotten.
/// Thread: the engine's.
class ChatHistory {
 public:
  /// `tokens`: the prompt and the answer as far as they were computed; `message_starts`: where each
  /// message begins, the answer included.
  void record(int64_t chat, std::vector<TokenId> tokens, std::vector<int> message_starts = {});
  void forget(int64_t chat);

  /// The message of what the chat held last that has these tokens at `position`; -1: none.
  int find_message(int64_t chat, int position, std::span<const TokenId> tokens) const;

  /// The number of leading tokens that equal those that the chat held last.
  int count_common(int64_t chat, std::span<const TokenId> tokens) const;

  std::set<int64_t> chats_beginning_with(std::span<const TokenId> tokens) const;

  /// Why no more than `cached` of the prompt's tokens were found. The message is not set.
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

/// The message that holds `position`, of those that begin at `starts` (ascending); -1: none.
int message_at(std::span<const int> starts, int position);

/// The same, counting tokens before the first message as part of it; -1: there are no messages.
int message_holding(std::span<const int> starts, int position);

}  // namespace quire
