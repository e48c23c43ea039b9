#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/models/folder_quantization.h"
#include "engine/models/model_config.h"
#include "kernels/base/result.h"

namespace quire {

/// A folder's config.json. Numbers that Python writes and JSON lacks (Infinity) become null.
/// Errors: kNotFound, kCorruptFile.
Result<nlohmann::json> read_config_json(const std::filesystem::path& folder);

/// The configuration that a folder's config.json and generation_config.json (which may be missing)
/// describe. End tokens of both files are merged; fields that a file leaves out take the defaults
/// of transformers. Errors: kNotFound, kCorruptFile and kUnsupported, naming the field and its
/// value.
Result<ModelConfig> read_model_config(const std::filesystem::path& folder);

/// The same of the files' texts.
Result<ModelConfig> parse_model_config(std::string_view config_text,
                                       std::optional<std::string_view> generation_text = {});

/// The same of an object with config.json's fields, which `where` names in messages.
/// `architectures` may also hold GGUF's name of the architecture.
Result<ModelConfig> build_model_config(const nlohmann::json& object, const std::string& where);

/// How the weights of a folder with a config.json are quantised; nothing if they are not.
/// Errors: as read_model_config.
Result<std::optional<FolderQuantization>> read_folder_quantization(
    const std::filesystem::path& folder);

}  // namespace quire
