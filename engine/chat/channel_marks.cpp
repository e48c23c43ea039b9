#include "engine/chat/channel_marks.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace quire {
namespace {

/// What follows the role or the channel's name if the text is the arguments of a function.
constexpr std::string_view kAddress = " to=functions.";

/// The function that a role's or channel's name is addressed to; empty: none.
std::string function_in(std::string_view name) {
  const size_t at = name.find(kAddress);
  if (at == name.npos) return {};
  name.remove_prefix(at + kAddress.size());
  return std::string(name.substr(0, name.find_first_of(" <")));
}

}  // namespace

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
    return begin_name(/*is_role=*/id == m_tokens.start);
  }
  if (id == m_tokens.message) return begin_text();
  if (id == m_tokens.end || id == m_tokens.close) {
    m_in_name = m_in_name && id != m_tokens.close;
    return end_part();
  }
  return push_beside_marks(text);
}

std::string ChannelMarks::begin_name(bool is_role) {
  // The name before a channel's is that of its role.
  m_function = is_role ? std::string() : function_in(m_name);
  m_may_be_addressed = false;
  m_in_name = true;
  m_name.clear();
  return end_part();
}

std::string ChannelMarks::begin_text() {
  if (m_function.empty()) m_function = function_in(m_name);
  const bool is_final = m_name.starts_with("final");
  m_in_name = false;
  m_name.clear();
  if (m_shows_calls && !m_function.empty()) {
    m_calls = true;
    return "<|channel|>commentary to=functions." + std::exchange(m_function, {}) + "<|message|>";
  }
  m_thinks = !is_final;
  return m_thinks ? "<think>" : std::string();
}

std::string ChannelMarks::push_beside_marks(const std::string& text) {
  if (m_may_be_addressed) return hold_address(text);
  if (!m_in_name) return think(text);
  m_name += text;
  const size_t end = m_tokens.open ? m_name.find('\n') : m_name.npos;
  if (end == m_name.npos) return {};
  m_in_name = false;
  m_begins_thought = true;
  return think(m_name.substr(end + 1));
}

/// The prompt ends with the answer's role, which a recipient may follow before any mark.
std::string ChannelMarks::hold_address(const std::string& text) {
  m_name += text;
  const size_t common = std::min(m_name.size(), kAddress.size());
  if (m_name.compare(0, common, kAddress, 0, common) == 0) return {};
  m_may_be_addressed = false;
  return std::exchange(m_name, {});
}

std::string ChannelMarks::think(const std::string& text) {
  if (text.empty() || !std::exchange(m_begins_thought, false)) return text;
  m_thinks = true;
  return "<think>" + text;
}

std::string ChannelMarks::end_part() {
  m_begins_thought = false;
  if (std::exchange(m_calls, false)) return "<|call|>";
  return std::exchange(m_thinks, false) ? "</think>\n" : std::string();
}

}  // namespace quire
