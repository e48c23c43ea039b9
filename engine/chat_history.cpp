#include "engine/chat_history.h"

#include <algorithm>
#include <utility>

#include "kernels/backend.h"

namespace quire {

void ChatHistory::record(int64_t chat, std::vector<TokenId> tokens) {
  if (chat == 0) return;
  forget(chat);
  m_entries.push_front({chat, std::move(tokens)});
  m_by_chat[chat] = m_entries.begin();
  if (m_entries.size() > kMaxChats) forget(m_entries.back().chat);
}

void ChatHistory::forget(int64_t chat) {
  const auto it = m_by_chat.find(chat);
  if (it == m_by_chat.end()) return;
  m_entries.erase(it->second);
  m_by_chat.erase(it);
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

int message_at(std::span<const int> starts, int position) {
  const auto after = std::ranges::upper_bound(starts, position);
  return static_cast<int>(after - starts.begin()) - 1;
}

}  // namespace quire
