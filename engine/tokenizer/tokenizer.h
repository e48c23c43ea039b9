#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

using TokenId = int32_t;

/// Text to token ids and back, for one vocabulary.
/// Thread: immutable after loading; any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual int vocab_size() const = 0;

  /// Ids of `text` taken as plain text: "</s>" in it is five characters, no BOS is added.
  virtual std::vector<TokenId> encode(std::string_view text) const = 0;

  /// The id of a special (control or added) token by its exact content, such as "<|end|>".
  virtual std::optional<TokenId> special_token(std::string_view content) const = 0;

  /// Every special token's content, longest first, for splitting a template's own text.
  virtual const std::vector<std::string>& special_tokens() const = 0;
  virtual bool is_special(TokenId id) const = 0;

  /// The exact bytes that `id` adds to decoded text: one raw byte for a byte-fallback token, nothing
  /// for a special one. Out of range ids add nothing.
  virtual std::string_view token_bytes(TokenId id) const = 0;

  /// The token as the vocabulary spells it ("▁the", "<0x0A>", "<|end|>"), for logprobs and tools.
  virtual std::string_view token_piece(TokenId id) const = 0;

  virtual std::optional<TokenId> bos_token() const = 0;
  virtual std::optional<TokenId> eos_token() const = 0;
  /// Whether the model's files ask for BOS before plain (not templated) text.
  virtual bool adds_bos() const = 0;

  /// All tokens' bytes in order; special ones are left out unless `with_special`.
  std::string decode(std::span<const TokenId> ids, bool with_special = false) const;

  /// Like encode, but special tokens' contents become their ids: for text that a template wrote.
  std::vector<TokenId> encode_with_special(std::string_view text) const;
};

}  // namespace quire
