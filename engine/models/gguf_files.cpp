#include "engine/models/gguf_files.h"

#include <string>
#include <utility>

#include "engine/io/gguf_split.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/mmap_file.h"
#include "engine/io/text.h"
#include "engine/models/gguf_config.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxListed = 8;

Error several_models(const fs::path& folder, const std::vector<fs::path>& models) {
  std::string names;
  for (size_t i = 0; i < models.size() && i < kMaxListed; ++i) {
    names += (i > 0 ? ", " : "") + for_message(models[i].filename().string());
  }
  if (models.size() > kMaxListed) names += ", ...";
  return {ErrorCode::kInvalidArgument, folder.string() + " holds " + std::to_string(models.size()) +
                                           " models (" + names + "); choose one of these files"};
}

}  // namespace

bool is_gguf_file(const fs::path& path) {
  if (path.extension() == ".gguf") return true;
  const auto file = MappedFile::open(path);
  if (!file || file->bytes().size() < 4) return false;
  return std::string_view(reinterpret_cast<const char*>(file->bytes().data()), 4) == "GGUF";
}

Result<std::optional<fs::path>> find_gguf_model(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"}) {
    if (fs::exists(folder / name, ignored)) return std::optional<fs::path>();
  }
  const std::vector<fs::path> models = list_gguf_models(folder);
  if (models.empty()) return std::optional<fs::path>();
  if (models.size() > 1) return several_models(folder, models);
  return std::optional(models.front());
}

Result<std::optional<fs::path>> resolve_gguf(const fs::path& model) {
  std::error_code ignored;
  if (fs::is_directory(model, ignored)) return find_gguf_model(model);
  return is_gguf_file(model) ? std::optional(model) : std::nullopt;
}

Result<std::optional<GgufFile>> open_gguf_metadata(const fs::path& model) {
  auto path = resolve_gguf(model);
  if (!path) return path.error();
  if (!*path) return std::optional<GgufFile>();
  auto files = open_gguf_set(**path);
  if (!files) return files.error();
  return std::optional(std::move(files->front()));
}

Result<ModelFiles> open_gguf_model(const fs::path& path) {
  auto weights = GgufWeights::open(path);
  if (!weights) return weights.error();
  const std::string_view type = (*weights)->metadata().string("general.type").value_or("model");
  if (type != "model") {
    return make_error(ErrorCode::kUnsupported,
                      "%1 holds no model but, by its own account, \"%2\"; choose the model's file",
                      {path.string(), for_message(type)});
  }
  auto config = read_gguf_config(**weights);
  if (!config) return config.error();
  return ModelFiles{std::move(*config), std::move(*weights), FileFormat::kGguf};
}

const GgufFile* gguf_metadata(const ModelFiles& files) {
  if (files.format != FileFormat::kGguf) return nullptr;
  return &static_cast<const GgufWeights&>(*files.weights).metadata();
}

}  // namespace quire
