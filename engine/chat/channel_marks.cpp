#include "engine/chat/channel_marks.h"

#include <utility>

namespace quire {

ChannelTokens channel_tokens(const Tokenizer& tokenizer) {
  const auto open = tokenizer.special_token("<|channel>");
  const auto close = tokenizer.special_token("<channel|>");
  if (open && close) return {.open = open, .close = close};
  const auto channel = tokenizer.special_token("<|channel|>");
  if (!channel || !tokenizer.special_token("<|return|>")) return {};
  return {.start = tokenizer.special_token("<|start|>"),
          .channel = channel,
          .message = tokenizer.special_token("<|message|>"),
          .end = tokenizer.special_token("<|end|>")};
}

std::string ChannelMarks::push(TokenId id, std::string text) {
  if (!m_tokens.channel && !m_tokens.open) return text;
  if (id == m_tokens.channel || id == m_tokens.start || id == m_tokens.open) {
    m_in_name = true;
    m_name.clear();
    return end_thought();
  }
  if (id == m_tokens.message) {
    m_in_name = false;
    m_thinks = !m_name.starts_with("final");
    return m_thinks ? "<think>" : std::string();
  }
  if (id == m_tokens.end || id == m_tokens.close) {
    m_in_name = m_in_name && id != m_tokens.close;
    return end_thought();
  }
  return push_beside_marks(text);
}

std::string ChannelMarks::push_beside_marks(const std::string& text) {
  if (!m_in_name) return think(text);
  m_name += text;
  const size_t end = m_tokens.open ? m_name.find('\n') : m_name.npos;
  if (end == m_name.npos) return {};
  m_in_name = false;
  m_begins_thought = true;
  return think(m_name.substr(end + 1));
}

std::string ChannelMarks::think(const std::string& text) {
  if (text.empty() || !std::exchange(m_begins_thought, false)) return text;
  m_thinks = true;
  return "<think>" + text;
}

std::string ChannelMarks::end_thought() {
  m_begins_thought = false;
  return std::exchange(m_thinks, false) ? "</think>\n" : std::string();
}

}  // namespace quire
