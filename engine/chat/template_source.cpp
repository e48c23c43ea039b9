#include "engine/chat/template_source.h"

#include <nlohmann/json.hpp>

#include "engine/io/hash.h"
#include "engine/io/json_file.h"
#include "engine/io/mmap_file.h"
#include "engine/models/gguf_files.h"

namespace quire {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string string_member(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// A template is one string, or a list of {"name", "template"}.
std::string default_template(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return {};
  for (const json& item : value) {
    if (string_member(item, "name") == "default") return string_member(item, "template");
  }
  return {};
}

Result<std::string> read_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path jinja = folder / "chat_template.jinja";
  if (fs::exists(jinja, ignored)) {
    auto file = MappedFile::open(jinja);
    if (!file) return file.error();
    const auto bytes = file->bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const fs::path config_path = folder / "tokenizer_config.json";
  if (!fs::exists(config_path, ignored)) return std::string();
  auto config = read_json(config_path);
  if (!config) return config.error();
  if (!config->is_object() || !config->contains("chat_template")) return std::string();
  return default_template((*config)["chat_template"]);
}

}  // namespace

Result<std::string> read_template_source(const fs::path& model) {
  auto gguf = open_gguf_metadata(model);
  if (!gguf) return gguf.error();
  return *gguf ? read_template_source(**gguf) : read_folder(model);
}

std::string read_template_source(const GgufFile& file) {
  for (const char* key : {"tokenizer.chat_template", "tokenizer.chat_template.default"}) {
    if (const auto source = file.string(key); source && !source->empty()) {
      return std::string(*source);
    }
  }
  return {};
}

std::string template_hash(std::string_view source) {
  Sha256 hash;
  hash.update(source);
  return to_hex(hash.finish());
}

}  // namespace quire
