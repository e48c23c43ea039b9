#pragma once

#include <memory>
#include <optional>

#include "engine/tokenizer/added_token_matcher.h"
#include "engine/tokenizer/bpe_model.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/text_normalizer.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/word_model.h"

namespace quire {

/// Everything that a tokenizer by byte pair encoding consists of.
struct BpeParts {
  TokenTable table{};  ///< Indexed.
  BpeModel model{};
  std::optional<UnigramModel> unigram{};          ///< Replaces `model`, except for its byte tokens.
  std::shared_ptr<const WordModel> word_model{};  ///< Replaces `model`, except for its byte tokens.
  TextNormalizer normalizer{};
  PreTokenizer pre_tokenizer{};
  AddedTokenMatcher added{};             ///< Matched before normalisation.
  AddedTokenMatcher normalized_added{};  ///< Matched after it.
  std::string prefix{};                  ///< Put before the first text of a sequence.
  bool maps_bytes = false;    ///< The pre-tokenizer's words are spelt in GPT-2's characters.
  bool marks_spaces = false;  ///< A space is U+2581; U+2581 itself becomes byte tokens.
  bool strips_leading_space = false;
  bool restarts_after_special = false;
  bool adds_bos = false;
  std::optional<TokenId> bos{};
  std::optional<TokenId> eos{};
  std::optional<TokenId> appended{};  ///< Put after a plain text.
};

/// A tokenizer with the parts of Hugging Face's `tokenizers` library: added tokens, normalizer,
/// pre-tokenizer, model. Ill-formed UTF-8 is encoded as byte tokens where the vocabulary has them,
/// so that decoding restores it. Changes by normalisation (such as NFC in Qwen 2) are not undone.
/// Errors: those of AddedTokenMatcher::finish.
Result<std::unique_ptr<Tokenizer>> make_bpe_tokenizer(BpeParts parts);

}  // namespace quire
