#pragma once

#include <filesystem>
#include <optional>

#include "engine/io/gguf_file.h"
#include "engine/models/model_files.h"

namespace quire {

/// Whether a file claims to be GGUF: by its name, or by its first bytes, since Ollama's files have
/// no extension.
bool is_gguf_file(const std::filesystem::path& path);

/// The GGUF model of a folder, for folders without safetensors; nothing if it holds none.
/// Errors: kInvalidArgument listing the models where there are several.
Result<std::optional<std::filesystem::path>> find_gguf_model(const std::filesystem::path& folder);

/// The GGUF file of a model given by a file or a folder; nothing for a model of another format.
/// Errors: those of find_gguf_model.
Result<std::optional<std::filesystem::path>> resolve_gguf(const std::filesystem::path& model);

/// The metadata of a model given by a file or a folder, without its weights; nothing for a model of
/// another format. Errors: those of resolve_gguf and open_gguf_set.
Result<std::optional<GgufFile>> open_gguf_metadata(const std::filesystem::path& model);

/// Opens a file or the split set that it is a part of. Divisors of rotations are not yet read.
/// Errors: those of GgufWeights::open and read_gguf_config.
Result<ModelFiles> open_gguf_model(const std::filesystem::path& path);

/// The file with the metadata; null for a model of another format.
const GgufFile* gguf_metadata(const ModelFiles& files);

}  // namespace quire
