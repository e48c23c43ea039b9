#include "engine/models/model_files.h"

#include <string>
#include <utility>

#include "engine/io/gguf_split.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/mmap_file.h"
#include "engine/io/safetensors.h"
#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/gguf_config.h"
#include "engine/models/json_config.h"
#include "engine/models/read_rope.h"
#include "engine/models/rope.h"
#include "engine/models/weight_loader.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

/// The last step for both formats.
Result<ModelFiles> complete(ModelFiles files, int max_context) {
  if (auto read = read_rope_tensors(*files.weights, files.config); !read) return read.error();
  serve_context(files.config, max_context);
  return files;
}

Error unknown_file(const fs::path& path) {
  return make_error(ErrorCode::kUnsupported,
                    "%1 is no model that Quire reads; choose a GGUF file or the folder that "
                    "holds config.json and the safetensors",
                    {path.string()});
}

/// Why a folder is not a model.
Error no_model(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "adapter_config.json", ignored)) {
    return make_error(ErrorCode::kUnsupported,
                      "%1 holds an adapter and not a whole model; merge it into its model",
                      {folder.string()});
  }
  return make_error(ErrorCode::kNotFound,
                    "%1 holds no model: neither config.json with safetensors nor a GGUF file. "
                    "Choose the folder or the file of the model itself, which may lie deeper",
                    {folder.string()});
}

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

}  // namespace

bool is_gguf_file(const fs::path& path) {
  if (path.extension() == ".gguf") return true;
  const auto file = MappedFile::open(path);
  return file && file->text().starts_with("GGUF");
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

const GgufFile* gguf_metadata(const ModelFiles& files) {
  if (files.format != FileFormat::kGguf) return nullptr;
  return &static_cast<const GgufWeights&>(*files.weights).metadata();
}

Result<ModelFiles> open_model_files(const fs::path& path, int max_context) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return make_error(ErrorCode::kNotFound, "%1 does not exist", {path.string()});
  }
  auto gguf = resolve_gguf(path);
  if (!gguf) return gguf.error();
  if (*gguf) {
    auto files = open_gguf_model(**gguf);
    if (!files) return files.error();
    return complete(std::move(*files), max_context);
  }
  if (!fs::is_directory(path, ignored)) return unknown_file(path);
  if (!fs::exists(path / "config.json", ignored)) return no_model(path);
  auto config = read_model_config(path);
  if (!config) return config.error();
  auto weights = SafetensorsWeights::open(path);
  if (!weights) return weights.error();
  return complete({std::move(*config), std::move(*weights), FileFormat::kHuggingFace}, max_context);
}

Result<std::unique_ptr<Decoder>> make_decoder(const ModelFiles& files, Backend& backend,
                                              const LoadOptions& options) {
  return make_decoder(files, place_all(backend, files.config.num_layers), options);
}

Result<std::unique_ptr<Decoder>> make_decoder(const ModelFiles& files,
                                              const LayerPlacement& placement,
                                              const LoadOptions& options) {
  const Architecture* architecture = find_architecture(files.config.architecture);
  CHECK(architecture != nullptr);
  WeightLoader loader(*files.weights, conventions_of(*architecture, files.format, *files.weights),
                      *placement.front().backend, options);
  DecoderWeights weights = load_weights(files.config, placement, loader);
  if (auto loaded = loader.finish(); !loaded) return loaded.error();
  return Decoder::create(placement, files.config, std::move(weights));
}

Result<std::unique_ptr<Decoder>> load_decoder(const fs::path& path, Backend& backend,
                                              const LoadOptions& options) {
  auto files = open_model_files(path, options.max_context);
  if (!files) return files.error();
  return make_decoder(*files, backend, options);
}

}  // namespace quire
