#pragma once

#include <filesystem>
#include <memory>

#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

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

}  // namespace quire
