#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/tokenizer/tokenizer_json_steps.h"

namespace quire {

/// What a tokenizer.json's decoder makes of single tokens.
/// Thread: one at a time.
class TokenDecoder {
 public:
  /// Of one token's text.
  static constexpr size_t kMaxBytes = size_t{1} << 16;

  TokenDecoder() = default;
  /// `is_byte_level`, `has_byte_fallback`: the decoder's own or what the rest of the file says.
  TokenDecoder(DecoderSpec spec, bool is_byte_level, bool has_byte_fallback);

  /// The bytes that `token` adds to a text. Nothing if they are over kMaxBytes, or if the tokens so
  /// far have grown by more than a vocabulary could need: a few steps can double a token each.
  std::optional<std::string> decode(const std::string& token);

 private:
  bool replace(const std::string& pattern, const std::string& content, std::string& text);

  DecoderSpec m_spec;
  bool m_is_byte_level = false;
  bool m_has_byte_fallback = false;
  size_t m_growth_left = size_t{16} << 20;
};

}  // namespace quire
