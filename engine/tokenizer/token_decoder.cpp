#include "engine/tokenizer/token_decoder.h"

#include <utility>

#include "engine/io/text.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/literal_search.h"

namespace quire {

TokenDecoder::TokenDecoder(DecoderSpec spec, bool is_byte_level, bool has_byte_fallback)
    : m_spec(std::move(spec)),
      m_is_byte_level(is_byte_level),
      m_has_byte_fallback(has_byte_fallback) {}

/// False if the text becomes too long.
bool TokenDecoder::replace(const std::string& pattern, const std::string& content,
                           std::string& text) {
  size_t at = find_literal(text, pattern, 0, m_budget);
  if (at == text.npos) return true;
  std::string replaced;
  size_t from = 0;
  for (; at != text.npos; at = find_literal(text, pattern, from, m_budget)) {
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

Result<std::string> TokenDecoder::decode(std::string_view token) {
  std::string out(token);
  if (m_is_byte_level) return from_byte_level(token).value_or(out);
  if (!m_spec.word_prefix.empty()) {
    const bool continues = token.starts_with(m_spec.word_prefix);
    return continues ? out.substr(m_spec.word_prefix.size()) : " " + out;
  }
  if (m_has_byte_fallback) {
    if (const auto byte = byte_token_value(token)) return std::string(1, *byte);
  }
  for (const auto& [pattern, content] : m_spec.replacements) {
    if (!replace(pattern, content, out)) {
      return Error{ErrorCode::kCorruptFile, "the Replace steps of its decoder make the token \"" +
                                                for_message(token) + "\" too long"};
    }
  }
  if (m_budget.is_spent()) return m_budget.error("decoding its tokens");
  return out;
}

}  // namespace quire
