#pragma once

#include <memory>
#include <string>

#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// A tokenizer over a SentencePiece model (BPE or unigram), with the ids of the library but exact
/// where that is not: ill-formed UTF-8 and the character U+2581 become byte-fallback tokens, so
/// that every text comes back as it was if the model has all 256 of these and does not normalise;
/// no control token, and no token that the folder calls special, ever comes from plain text. A text
/// of n bytes is encoded in O(n log n). In texts for a BPE that does not normalise, which is nearly
/// every model, added tokens that are not special are found. Errors: kNotFound, kIo, kCorruptFile,
/// kUnsupported, naming the file.
Result<std::unique_ptr<Tokenizer>> load_sentencepiece(const std::string& path,
                                                      const SpecialTokens& special = {});

}  // namespace quire
