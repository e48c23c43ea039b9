#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/work_budget.h"

namespace quire {

using TokenId = int32_t;

/// A run of a prompt's text. Special tokens are recognised only within a run that is not plain, so
/// that a message can never forge a turn.
struct TextRun {
  std::string_view text;
  bool is_plain = false;
};

/// Text to token ids and back, for one vocabulary.
/// Thread: immutable after loading; any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual int vocab_size() const = 0;

  /// Ids of `text` taken as plain text: "</s>" in it is five characters, no BOS is added. Takes
  /// time and memory in proportion to the text whatever the vocabulary's files ask for: when a
  /// budget for that is spent, what is left of the text is cut less finely, but decodes to itself
  /// as far as the vocabulary can spell it.
  virtual std::vector<TokenId> encode(std::string_view text) const = 0;

  /// Like encode for text that follows other text: without the space that some vocabularies put
  /// before the first word of a text.
  virtual std::vector<TokenId> encode_continuation(std::string_view text) const {
    return encode(text);
  }

  /// encode (`at_start`) or encode_continuation for one of several texts that share a budget.
  virtual std::vector<TokenId> encode_within(WorkBudget&, std::string_view text,
                                             bool at_start) const {
    return at_start ? encode(text) : encode_continuation(text);
  }

  /// Whether encode puts that space; decode then drops one space at the start of a text, and the
  /// round trip is exact.
  virtual bool strips_leading_space() const { return false; }

  /// Whether text right after a special token is encoded as the start of a text is (Hugging Face's
  /// `legacy` tokenizers, llama.cpp) and not as a continuation.
  virtual bool restarts_after_special() const { return false; }

  /// Whether white space before or after the special token `id` is dropped (`lstrip`, `rstrip`).
  virtual bool strips_space_before(TokenId) const { return false; }
  virtual bool strips_space_after(TokenId) const { return false; }

  /// The id of a special (control or added) token by its exact content, such as "<|end|>".
  virtual std::optional<TokenId> special_token(std::string_view content) const = 0;

  /// Every special token's content, longest first, for splitting a template's own text.
  virtual const std::vector<std::string>& special_tokens() const = 0;
  virtual bool is_special(TokenId id) const = 0;

  /// The exact bytes that `id` adds to decoded text: one raw byte for a byte-fallback token,
  /// nothing for a special one. Out of range ids add nothing.
  virtual std::string_view token_bytes(TokenId id) const = 0;

  /// The token as the vocabulary spells it ("▁the", "<0x0A>", "<|end|>"), for logprobs and tools.
  virtual std::string_view token_piece(TokenId id) const = 0;

  virtual std::optional<TokenId> bos_token() const = 0;
  virtual std::optional<TokenId> eos_token() const = 0;
  /// Whether the model's files ask for BOS before plain (not templated) text.
  virtual bool adds_bos() const = 0;
  /// The token that the model's files put after a plain text, such as one to be embedded.
  virtual std::optional<TokenId> appended_token() const { return std::nullopt; }

  /// All tokens' bytes in order; special ones are left out unless `with_special`, which adds them
  /// as they are spelt. The result is bytes: an answer cut within a character is not UTF-8.
  std::string decode(std::span<const TokenId> ids, bool with_special = false) const;

  /// Like encode, but special tokens' contents become their ids: for text that a template wrote.
  std::vector<TokenId> encode_with_special(std::string_view text) const;

  /// The ids of the runs' text joined: words that cross from one run to the next become the tokens
  /// that they would be in one piece, and special tokens are those of runs that are not plain.
  std::vector<TokenId> encode_runs(std::span<const TextRun> runs) const;
};

}  // namespace quire
