#pragma once

#include <filesystem>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// What the files of a model say about themselves, as one line of JSON:
///
///     {"kind": 0, "architecture": "qwen3", "quantisation": "Q4_K_M", "format": "GGUF version 3",
///      "parameters": 1, "fileBytes": 1, "context": 4096, "obstacle": ERROR}
///
/// `kind` is 0 for a model, 1 for a projector and 2 for an adapter. Texts of the files are at most
/// 4 KiB long and valid UTF-8. Of an adapter, all that says what it changes is parsed. Everything
/// that loading parses is parsed: the configuration, all tensors' shapes, the tokenizer and the
/// template; a short text is encoded and rendered too.
///
/// Never fails: an error becomes the obstacle. Throws std::bad_alloc.
std::string facts_of(const std::filesystem::path& path);

/// An error as JSON: {"code": 2, "message": "...", "format": "%1 ...", "arguments": ["..."]}; {} if
/// its message is empty.
std::string error_as_json(const Error& error);

}  // namespace quire
