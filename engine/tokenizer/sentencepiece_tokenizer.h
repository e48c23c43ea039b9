#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// A token that a model's folder adds to its vocabulary, or says more about.
struct AddedToken {
  TokenId id =
      0;  ///< May be one of the vocabulary's; the content given here then replaces its own.
  std::string content;
  bool is_special = true;      ///< Not part of an answer's text.
  bool strips_before = false;  ///< White space before it is dropped (`lstrip`).
  bool strips_after = false;   ///< White space after it is dropped (`rstrip`).
};

/// What the files beside tokenizer.model say of special tokens.
struct SpecialTokens {
  std::vector<AddedToken> added{};
  std::vector<std::string>
      names{};  ///< Contents that are special wherever the vocabulary has them.
  std::optional<std::string> bos{};  ///< By content; without it, what tokenizer.model says.
  std::optional<std::string> eos{};
  bool adds_bos = false;
  bool restarts_after_special =
      true;  ///< See Tokenizer; only matters to models with a dummy prefix.
};

/// A tokenizer over a SentencePiece model (BPE or unigram), exact where the library is not:
/// ill-formed UTF-8 and the character U+2581 become byte-fallback tokens, so that every text comes
/// back as it was if the model has all 256 of these and does not normalise; no control token, and
/// no token that the folder calls special, ever comes from plain text. A text of n bytes is encoded
/// in O(n log n), in chunks that do not change the ids. Errors: kNotFound, kIo, kCorruptFile,
/// kOutOfMemory, naming the file.
Result<std::unique_ptr<Tokenizer>> load_sentencepiece(const std::string& path,
                                                      SpecialTokens special = {});

}  // namespace quire
