#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire::test {

/// A vocabulary of all bytes, then the given texts, the given special tokens, and an end token.
class BytesTokenizer final : public Tokenizer {
 public:
  explicit BytesTokenizer(const std::vector<std::string>& texts = {},
                          const std::vector<std::string>& specials = {})
      : m_specials(specials) {
    for (int byte = 0; byte < 256; ++byte) m_texts.emplace_back(1, static_cast<char>(byte));
    m_texts.insert(m_texts.end(), texts.begin(), texts.end());
    m_specials.emplace_back("</s>");
  }
  TokenId end_token() const { return vocab_size() - 1; }

  int vocab_size() const override { return static_cast<int>(m_texts.size() + m_specials.size()); }
  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const char c : text) ids.push_back(static_cast<uint8_t>(c));
    return ids;
  }
  std::optional<TokenId> special_token(std::string_view content) const override {
    const auto found = std::find(m_specials.begin(), m_specials.end(), content);
    if (found == m_specials.end()) return std::nullopt;
    return static_cast<TokenId>(m_texts.size() + static_cast<size_t>(found - m_specials.begin()));
  }
  const std::vector<std::string>& special_tokens() const override { return m_specials; }
  bool is_special(TokenId id) const override { return id >= static_cast<int>(m_texts.size()); }
  std::string_view token_bytes(TokenId id) const override {
    if (id < 0 || is_special(id)) return {};
    return m_texts[static_cast<size_t>(id)];
  }
  std::string_view token_piece(TokenId id) const override { return token_bytes(id); }
  std::optional<TokenId> bos_token() const override { return std::nullopt; }
  std::optional<TokenId> eos_token() const override { return end_token(); }
  bool adds_bos() const override { return false; }

 private:
  std::vector<std::string> m_texts;
  std::vector<std::string> m_specials;
};

}  // namespace quire::test
