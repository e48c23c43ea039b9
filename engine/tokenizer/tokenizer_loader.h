#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/gguf_file.h"
#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// The tokenizer of a Hugging Face model folder: tokenizer.json, or tokenizer.model if the former
/// is missing or unsupported. Also reads tokenizer_config.json (added_tokens_decoder, bos_token,
/// eos_token, add_bos_token, additional_special_tokens, legacy), special_tokens_map.json and
/// added_tokens.json; where these disagree, the first of this list counts.
/// Errors: kNotFound, kIo, kCorruptFile, kUnsupported with the file's name.
Result<std::unique_ptr<Tokenizer>> load_tokenizer(const std::filesystem::path& model_folder);

/// The tokenizer of a tokenizer.json (Hugging Face's `tokenizers` library), of a BPE model: byte
/// level, or characters with bytes for those that are no tokens. `special` comes from the files
/// beside it and takes precedence. Its ids are those of the library with
/// `encode_special_tokens` set, and without what a post-processor adds.
/// Errors: kNotFound, kIo, kCorruptFile, and kUnsupported for other models and for steps that Quire
/// does not know; a sentence that names the file and the key.
Result<std::unique_ptr<Tokenizer>> load_tokenizer_json(const std::filesystem::path& path,
                                                       const SpecialTokens& special);

/// The same of a file's text, whose name is given for messages.
Result<std::unique_ptr<Tokenizer>> parse_tokenizer(std::string_view text, const std::string& name,
                                                   const SpecialTokens& special);

/// A tokenizer over a SentencePiece model (BPE or unigram). It gives the ids of the library, with
/// two exceptions. Ill-formed UTF-8 and the character U+2581 become byte-fallback tokens, so that
/// decoding restores every text if the model has all 256 of them and does not normalise. Plain text
/// never becomes a control token or a token that the folder calls special. A text of n bytes is
/// encoded in O(n log n). Added tokens that are not special are found if the model is a BPE that
/// does not normalise, as nearly all are. Errors: kNotFound, kIo, kCorruptFile, kUnsupported,
/// naming the file.
Result<std::unique_ptr<Tokenizer>> load_sentencepiece(const std::string& path,
                                                      const SpecialTokens& special = {});

/// The tokenizer in a GGUF file's metadata (keys `tokenizer.ggml.*`): of the models "llama"
/// (SentencePiece's BPE), "gpt2" (byte-level BPE with one of some 60 `pre` kinds) and "gemma4".
/// Control tokens never come from plain text; tokens that a user defined do. The result does not
/// refer to the file.
/// Errors: kUnsupported for other models and unknown `pre` kinds, kCorruptFile for lists that do
/// not fit together; a sentence that names the file and the key.
Result<std::unique_ptr<Tokenizer>> load_gguf_tokenizer(const GgufFile& file);

/// The tokens that end an answer, as far as the vocabulary says: eos, eot and eom by their keys,
/// and control tokens of the names that models end a turn with. Sorted, each once.
std::vector<TokenId> gguf_end_tokens(const GgufFile& file);

}  // namespace quire
