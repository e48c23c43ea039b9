#include "engine/tokenizer/token_decoder.h"

#include <utility>

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/utf8.h"

namespace quire {

TokenDecoder::TokenDecoder(DecoderSpec spec, bool is_byte_level, bool has_byte_fallback)
    : m_spec(std::move(spec)),
      m_is_byte_level(is_byte_level),
      m_has_byte_fallback(has_byte_fallback) {}

/// False if the text becomes too long.
bool TokenDecoder::replace(const std::string& pattern, const std::string& content,
                           std::string& text) {
  std::string replaced;
  size_t from = 0;
  for (size_t at = text.find(pattern); at != text.npos; at = text.find(pattern, from)) {
    replaced.append(text, from, at - from).append(content);
    if (replaced.size() > kMaxBytes) return false;
    from = at + pattern.size();
  }
  replaced.append(text, from, text.npos);
  if (replaced.size() > kMaxBytes) return false;
  const size_t growth = replaced.size() > text.size() ? replaced.size() - text.size() : 0;
  if (growth > m_growth_left) return false;
  m_growth_left -= growth;
  text = std::move(replaced);
  return true;
}

std::optional<std::string> TokenDecoder::decode(const std::string& token) {
  if (m_is_byte_level) return from_byte_level(token).value_or(token);
  if (m_has_byte_fallback) {
    if (const auto byte = byte_token_value(token)) return std::string(1, *byte);
  }
  std::string out = token;
  for (const auto& [pattern, content] : m_spec.replacements) {
    if (!replace(pattern, content, out)) return std::nullopt;
  }
  return out;
}

}  // namespace quire
