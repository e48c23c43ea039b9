#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/tokenizer/tokenizer_json_parts.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {

/// Decodes single tokens as the decoder of a tokenizer.json does.
/// Thread: one at a time.
class TokenDecoder {
 public:
  /// Of one token's text.
  static constexpr size_t kMaxBytes = kMaxTokenBytes;
  /// Of all Replace steps of all tokens; each searches a token for a text. Real files need under a
  /// million.
  static constexpr uint64_t kMaxDecoderSteps = 20'000'000;

  TokenDecoder() = default;
  /// `is_byte_level`, `has_byte_fallback`: the decoder's own or what the rest of the file says.
  TokenDecoder(DecoderSpec spec, bool is_byte_level, bool has_byte_fallback);

  /// The bytes that `token` adds to a text. Errors: kCorruptFile, a clause without the file's name,
  /// if they are over kMaxBytes, or if the tokens so far have grown by more than a vocabulary could
  /// need: a few steps can double a token each; kUnsupported after kMaxDecoderSteps.
  Result<std::string> decode(std::string_view token);
  bool begins_words_with_space() const { return !m_spec.word_prefix.empty(); }

 private:
  bool replace(const std::string& pattern, const std::string& content, std::string& text);

  DecoderSpec m_spec;
  bool m_is_byte_level = false;
  bool m_has_byte_fallback = false;
  size_t m_growth_left = size_t{16} << 20;
  WorkBudget m_budget{{.steps = kMaxDecoderSteps}};
};

}  // namespace quire
