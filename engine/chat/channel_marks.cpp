#include "engine/chat/channel_marks.h"

#include <utility>

namespace quire {

ChannelTokens channel_tokens(const Tokenizer& tokenizer) {
  const auto channel = tokenizer.special_token("<|channel|>");
  if (!channel || !tokenizer.special_token("<|return|>")) return {};
  return {.start = tokenizer.special_token("<|start|>"),
          .channel = channel,
          .message = tokenizer.special_token("<|message|>"),
          .end = tokenizer.special_token("<|end|>")};
}

std::string ChannelMarks::push(TokenId id, std::string text) {
  if (!m_tokens.channel) return text;
  if (id == m_tokens.channel || id == m_tokens.start) {
    m_in_name = true;
    m_name.clear();
    return end_thought();
  }
  if (id == m_tokens.message) {
    m_in_name = false;
    m_thinks = !m_name.starts_with("final");
    return m_thinks ? "<think>" : std::string();
  }
  if (id == m_tokens.end) return end_thought();
  if (!m_in_name) return text;
  m_name += text;
  return {};
}

std::string ChannelMarks::end_thought() {
  return std::exchange(m_thinks, false) ? "</think>\n" : std::string();
}

}  // namespace quire
