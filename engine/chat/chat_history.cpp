#include "engine/chat/chat_history.h"

#include <algorithm>
#include <utility>

#include "kernels/backend.h"

namespace quire {

void ChatHistory::record(int64_t chat, std::vector<TokenId> tokens,
                         std::vector<int> message_starts) {
  if (chat == 0) return;
  forget(chat);
  m_entries.push_front({chat, std::move(tokens), std::move(message_starts)});
  m_by_chat[chat] = m_entries.begin();
  if (m_entries.size() > kMaxChats) forget(m_entries.back().chat);
}

void ChatHistory::forget(int64_t chat) {
  const auto it = m_by_chat.find(chat);
  if (it == m_by_chat.end()) return;
  m_entries.erase(it->second);
  m_by_chat.erase(it);
}

bool begins_with(std::span<const TokenId> tokens, std::span<const TokenId> beginning) {
  return tokens.size() >= beginning.size() &&
         std::ranges::equal(tokens.first(beginning.size()), beginning);
}

std::set<int64_t> ChatHistory::chats_beginning_with(std::span<const TokenId> tokens) const {
  std::set<int64_t> chats;
  for (const Entry& entry : m_entries) {
    if (begins_with(entry.tokens, tokens)) chats.insert(entry.chat);
  }
  return chats;
}

int ChatHistory::count_common(int64_t chat, std::span<const TokenId> tokens) const {
  const auto it = m_by_chat.find(chat);
  if (it == m_by_chat.end()) return 0;
  const auto end = std::ranges::mismatch(it->second->tokens, tokens).in2;
  return static_cast<int>(end - tokens.begin());
}

int ChatHistory::find_message(int64_t chat, int position, std::span<const TokenId> tokens) const {
  const auto it = m_by_chat.find(chat);
  if (it == m_by_chat.end() || position < 0) return -1;
  const std::span<const TokenId> known = it->second->tokens;
  const size_t begin = static_cast<size_t>(position);
  if (begin + tokens.size() > known.size()) return -1;
  const bool is_there = std::ranges::equal(known.subspan(begin, tokens.size()), tokens);
  return is_there ? message_holding(it->second->message_starts, position) : -1;
}

PrefixMiss ChatHistory::explain(int64_t chat, std::span<const TokenId> prompt, int cached) const {
  using Reason = PrefixMiss::Reason;
  // The end of a prompt is always computed: at least its last token.
  const int size = static_cast<int>(prompt.size());
  const auto it = m_by_chat.find(chat);
  if (it == m_by_chat.end()) {
    return size - cached <= kBlockSize ? PrefixMiss{} : PrefixMiss{Reason::kNew, cached};
  }
  const std::vector<TokenId>& known = it->second->tokens;
  const auto end = std::ranges::mismatch(known, prompt).in1;
  const int common = static_cast<int>(end - known.begin());
  if (cached + kBlockSize < std::min(common, size - 1)) return {Reason::kEvicted, cached};
  const bool is_continued = end == known.end() || common >= size - 1;
  return is_continued ? PrefixMiss{} : PrefixMiss{Reason::kChanged, common};
}

int message_holding(std::span<const int> starts, int position) {
  return starts.empty() ? -1 : std::max(0, message_at(starts, position));
}

int message_at(std::span<const int> starts, int position) {
  const auto after = std::ranges::upper_bound(starts, position);
  return static_cast<int>(after - starts.begin()) - 1;
}

}  // namespace quire
