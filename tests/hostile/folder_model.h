#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace quire::test {

/// A model of one layer as a Hugging Face folder, in parts, so that each can be made wrong by
/// itself. As it is, Quire loads it.
struct FolderModel {
  nlohmann::ordered_json config;
  nlohmann::json header;  ///< Of model.safetensors.
  std::string data;
  nlohmann::json tokenizer;

  void write(const std::filesystem::path& folder) const;
};

FolderModel tinyFolder();

/// A safetensors file: the header's length, the header, the data.
std::string safetensorsFile(const std::string& header, const std::string& data);

}  // namespace quire::test
