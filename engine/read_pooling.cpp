#include <nlohmann/json.hpp>
#include <utility>

#include "engine/embed.h"
#include "engine/io/json_fields.h"
#include "engine/io/json_file.h"
#include "engine/io/read_file.h"
#include "engine/io/text.h"
#include "engine/models/model_files.h"

namespace quire {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kMode = "pooling_mode_";
/// Of modules.json and of a pooling's config.json; real ones have some 400 bytes.
constexpr JsonLimits kPoolingLimits = {.max_bytes = 64 << 10, .max_values = 1'000};

using PoolingResult = Result<std::optional<Pooling>>;

Error unsupported_pooling(const std::string& where, const std::string& what) {
  return make_error(ErrorCode::kUnsupported,
                    "%1: the pooling \"%2\" is not supported; choose mean, last or cls with "
                    "--pooling",
                    {for_message(where), for_message(what)});
}

/// llama.cpp's enum llama_pooling_type.
PoolingResult pooling_of(const GgufFile& file) {
  const std::string architecture(file.string("general.architecture").value_or(""));
  const auto type = file.integer(architecture + ".pooling_type");
  if (!type || *type == 0) return std::optional<Pooling>();
  if (*type == 1) return std::optional(Pooling::kMean);
  if (*type == 2) return std::optional(Pooling::kFirst);
  if (*type == 3) return std::optional(Pooling::kLast);
  return unsupported_pooling(file.path().filename().string(), std::to_string(*type));
}

/// 1_Pooling/config.json: one of several modes is true, or is named.
PoolingResult pooling_of(const fs::path& path) {
  const std::string where = for_message(path.parent_path().filename().string()) + "/config.json";
  const auto text = read_file(path, kPoolingLimits.max_bytes);
  if (!text) return text.error();
  const auto document = parse_json(*text, where, kPoolingLimits);
  if (!document) return document.error();
  JsonFields fields(*document, where);
  std::vector<std::string> modes;
  if (document->is_object()) {
    for (const auto& [key, value] : document->items()) {
      if (key.starts_with(kMode) && value == true) modes.push_back(key.substr(kMode.size()));
    }
  }
  if (fields.has("pooling_mode")) modes.push_back(fields.string("pooling_mode"));
  if (fields.error()) return *fields.error();
  if (modes.empty()) return std::optional<Pooling>();
  if (modes.size() > 1) return unsupported_pooling(fields.where(), "several at once");
  const std::string& mode = modes.front();
  if (mode == "mean_tokens" || mode == "mean") return std::optional(Pooling::kMean);
  if (mode == "cls_token" || mode == "cls") return std::optional(Pooling::kFirst);
  if (mode == "lasttoken") return std::optional(Pooling::kLast);
  return unsupported_pooling(fields.where(), mode);
}

/// Whether a module of modules.json may follow or precede the pooling without changing directions.
bool is_harmless(const std::string& type) {
  return type.ends_with(".Transformer") || type.ends_with(".Pooling") ||
         type.ends_with(".Normalize");
}

PoolingResult pooling_of_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path list = folder / "modules.json";
  if (!fs::exists(list, ignored)) {
    const fs::path usual = folder / "1_Pooling" / "config.json";
    return fs::exists(usual, ignored) ? pooling_of(usual) : PoolingResult(std::optional<Pooling>());
  }
  const auto modules = read_json(list, kPoolingLimits);
  if (!modules) return modules.error();
  PoolingResult pooling = std::optional<Pooling>();
  if (!modules->is_array()) return pooling;
  bool is_found = false;
  for (const nlohmann::json& module : *modules) {
    JsonFields fields(module, "modules.json");
    const std::string type = fields.string("type", ""), path = fields.string("path", "");
    if (fields.error()) return *fields.error();
    if (!is_harmless(type)) {
      return make_error(ErrorCode::kUnsupported,
                        "%1: the module %2 is not supported; choose a model without it",
                        {"modules.json", for_message(type)});
    }
    if (!type.ends_with(".Pooling")) continue;
    // A name within the folder, since the file may be a stranger's.
    const fs::path name = fs::path(path);
    if (name.has_parent_path() || name.empty() || path == "..") {
      return Error{ErrorCode::kCorruptFile, "modules.json: the path " + for_message(path) +
                                                " is not that of a folder beside it"};
    }
    if (std::exchange(is_found, true))
      return unsupported_pooling("modules.json", "several at once");
    pooling = pooling_of(folder / name / "config.json");
    if (!pooling) return pooling;
  }
  return pooling;
}

}  // namespace

Result<std::optional<Pooling>> read_pooling(const fs::path& model) {
  const auto gguf = open_gguf_metadata(model);
  if (!gguf) return gguf.error();
  return *gguf ? pooling_of(**gguf) : pooling_of_folder(model);
}

}  // namespace quire
