#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// The tokenizer of a Hugging Face model folder: tokenizer.json, or tokenizer.model where there is
/// only that (or the other has a kind of model that Quire lacks); and of what lies beside it
/// tokenizer_config.json (added_tokens_decoder, bos_token, eos_token, add_bos_token,
/// additional_special_tokens, legacy), special_tokens_map.json and added_tokens.json; where they
/// disagree, the first named counts.
/// Errors: kNotFound, kIo, kCorruptFile, kUnsupported with the file's name.
Result<std::unique_ptr<Tokenizer>> load_tokenizer(const std::filesystem::path& model_folder);

/// The tokenizer of a tokenizer.json (Hugging Face's `tokenizers` library), of a BPE model: byte
/// level, or characters with bytes for those that are no tokens. `special` is what the files beside
/// it say; where both speak of a token, `special` counts. Its ids are those of the library with
/// `encode_special_tokens` set, and without what a post-processor adds.
/// Errors: kNotFound, kIo, kCorruptFile, and kUnsupported for other models and for steps that Quire
/// does not know; a sentence that names the file and the key.
Result<std::unique_ptr<Tokenizer>> load_tokenizer_json(const std::filesystem::path& path,
                                                       const SpecialTokens& special);

/// The same of a file's text, whose name is given for messages.
Result<std::unique_ptr<Tokenizer>> parse_tokenizer(std::string_view text, const std::string& name,
                                                   const SpecialTokens& special);

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
