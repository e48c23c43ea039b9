#pragma once

#include <filesystem>
#include <memory>

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

}  // namespace quire
