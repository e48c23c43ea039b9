#pragma once

#include <filesystem>
#include <string_view>

#include "tests/fuzz/support.h"

namespace quire::fuzz {

/// Writes an input as a model and returns its path: a GGUF file if it begins as one, else a folder
/// of config.json, tokenizer.json, tokenizer_config.json, chat_template.jinja and model.safetensors
/// with zero bytes between; an empty or missing part is a missing file.
std::filesystem::path write_model(const ScratchFolder& folder, std::string_view bytes);

}  // namespace quire::fuzz
