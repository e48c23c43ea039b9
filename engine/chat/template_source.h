#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/io/gguf_file.h"
#include "kernels/base/result.h"

namespace quire {

/// The Jinja source of a model's chat template: of a folder, chat_template.jinja or chat_template
/// of tokenizer_config.json (of several, the one named "default"); of GGUF, what its metadata
/// holds. Empty if there is none. Errors: kIo, kCorruptFile; those of open_gguf_metadata.
Result<std::string> read_template_source(const std::filesystem::path& model);

/// The same of a GGUF file: tokenizer.chat_template, or the one named default.
std::string read_template_source(const GgufFile& file);

/// Names a template's source, for what is stored with an answer: its SHA-256, hexadecimal.
std::string template_hash(std::string_view source);

}  // namespace quire
