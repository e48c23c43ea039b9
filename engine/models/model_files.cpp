#include "engine/models/model_files.h"

#include <array>
#include <span>
#include <string>
#include <utility>

#include "engine/io/gguf_split.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/read_file.h"
#include "engine/io/safetensors.h"
#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/gguf_config.h"
#include "engine/models/json_config.h"
#include "engine/models/medusa_heads.h"
#include "engine/models/quantized_folder.h"
#include "engine/models/read_rope.h"
#include "engine/models/rope.h"
#include "engine/models/speculative_layer.h"
#include "engine/models/weight_loader.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

/// The last step for both formats.
Result<ModelConfig> complete(ModelConfig config, WeightSource& weights, FileFormat format,
                             int max_context) {
  if (const Architecture* architecture = find_architecture(config.architecture)) {
    const bool is_folder = format == FileFormat::kHuggingFace;
    if (is_folder && architecture->never_ties_in_hugging_face) config.tie_word_embeddings = false;
    TensorNames names = conventions_of(*architecture, format, weights).names;
    config.num_speculative_layers = count_speculative_layers(config, std::move(names), weights);
  }
  if (auto read = read_rope_tensors(weights, config); !read) return read.error();
  if (auto whole = weights.check_whole(); !whole) return whole.error();
  serve_context(config, max_context);
  return config;
}

Error unknown_file(const fs::path& path) {
  return make_error(ErrorCode::kUnsupported,
                    "%1 is no model that Quire reads; choose a GGUF file or the folder that "
                    "holds config.json and the safetensors",
                    {path.string()});
}

Error adapter_alone(const fs::path& path) {
  return make_error(ErrorCode::kUnsupported,
                    "%1 is an adapter and not a whole model; load its model, and choose the "
                    "adapter in a persona or with --adapter",
                    {path.string()});
}

Error heads_alone(const fs::path& path) {
  return make_error(ErrorCode::kUnsupported,
                    "%1 holds Medusa heads, which guess for a model and are no model themselves; "
                    "load their model with quire-cli, and choose the heads with --draft",
                    {path.string()});
}

/// Why a folder is not a model.
Error no_model(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "adapter_config.json", ignored)) return adapter_alone(folder);
  return make_error(ErrorCode::kNotFound,
                    "%1 holds no model: neither config.json with safetensors nor a GGUF file. "
                    "Choose the folder or the file of the model itself, which may lie deeper",
                    {folder.string()});
}

constexpr size_t kMaxNamed = 8;

Error several_models(const fs::path& folder, const std::vector<fs::path>& models) {
  std::string names;
  for (size_t i = 0; i < models.size() && i < kMaxNamed; ++i) {
    names += (i > 0 ? ", " : "") + for_message(models[i].filename().string());
  }
  if (models.size() > kMaxNamed) names += ", ...";
  const bool may_be_more = models.size() == kMostListedModels;
  const std::string count = may_be_more ? "more than " + std::to_string(kMostListedModels - 1)
                                        : std::to_string(models.size());
  return {ErrorCode::kInvalidArgument, folder.string() + " holds " + count + " models (" + names +
                                           "); choose one of these files"};
}

Result<ModelConfig> read_gguf_model(const fs::path& path, const GgufWeights& weights) {
  const std::string_view type = weights.metadata().string("general.type").value_or("model");
  if (type == "adapter") return adapter_alone(path);
  if (type != "model") {
    return make_error(ErrorCode::kUnsupported,
                      "%1 holds no model but, by its own account, \"%2\"; choose the model's file",
                      {path.string(), for_message(type)});
  }
  return read_gguf_config(weights);
}

Result<ModelConfig> read_folder_config(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return unknown_file(path);
  if (!fs::exists(path / "config.json", ignored)) return no_model(path);
  auto config = read_model_config(path);
  if (!config && MedusaHeads::is_folder_of_heads(path)) return heads_alone(path);
  return config;
}

Result<OpenedModel> open_gguf_model(const fs::path& path, int max_context) {
  auto weights = GgufWeights::open(path);
  if (!weights) return weights.error();
  auto config = read_gguf_model(path, **weights);
  if (config) config = complete(std::move(*config), **weights, FileFormat::kGguf, max_context);
  return OpenedModel{std::move(config), std::move(*weights), FileFormat::kGguf};
}

Result<OpenedModel> open_folder_model(const fs::path& path, int max_context) {
  auto config = read_folder_config(path);
  auto files = SafetensorsWeights::open(path);
  // Of a path without weights the first error says more.
  if (!files) return config ? files.error() : config.error();
  std::unique_ptr<WeightSource> weights = std::move(*files);
  if (config) {
    const auto quantization = read_folder_quantization(path);
    if (!quantization) return quantization.error();
    if (*quantization) {
      auto wrapped = QuantizedFolder::wrap(std::move(weights), **quantization);
      if (!wrapped) return wrapped.error();
      weights = std::move(*wrapped);
    }
    config = complete(std::move(*config), *weights, FileFormat::kHuggingFace, max_context);
  }
  return OpenedModel{std::move(config), std::move(weights), FileFormat::kHuggingFace};
}

/// Files may hold the projections of layers that read other layers' keys and values.
void leave_out_unused_keys(const ModelConfig& config, TensorNames& names) {
  for (int i = 0; i < config.num_layers; ++i) {
    if (config.layers[static_cast<size_t>(i)].cache_layer < 0) continue;
    for (const char* name : {"attn_k", "attn_v", "attn_k_norm", "attn_v_norm"}) {
      names.leave_out("blk." + std::to_string(i) + "." + name);
    }
  }
}

}  // namespace

bool is_gguf_file(const fs::path& path) {
  if (path.extension() == ".gguf") return true;
  const auto file = OpenFile::open(path);
  std::array<char, 4> start = {};
  return file && file->size() >= start.size() &&
         file->read_at(0, std::as_writable_bytes(std::span(start))) &&
         std::string_view(start.data(), start.size()) == "GGUF";
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

Result<OpenedModel> open_any_model(const fs::path& path, int max_context) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return make_error(ErrorCode::kNotFound, "%1 does not exist", {path.string()});
  }
  auto gguf = resolve_gguf(path);
  if (!gguf) return gguf.error();
  return *gguf ? open_gguf_model(**gguf, max_context) : open_folder_model(path, max_context);
}

Result<ModelFiles> open_model_files(const fs::path& path, int max_context) {
  auto opened = open_any_model(path, max_context);
  if (!opened) return opened.error();
  if (!opened->config) return opened->config.error();
  return ModelFiles{std::move(*opened->config), std::move(opened->weights), opened->format};
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
  WeightConventions conventions = conventions_of(*architecture, files.format, *files.weights);
  conventions.names.add_speculative_layers(
      files.config.num_layers, files.config.num_speculative_layers, options.speculative_layers);
  leave_out_unused_keys(files.config, conventions.names);
  WeightLoader loader(*files.weights, std::move(conventions), *placement.front().backend, options);
  auto decoder = Decoder::load(placement, files.config, loader, options.speculative_layers);
  if (!decoder) return decoder;
  if (auto whole = files.weights->check_whole(); !whole) return whole.error();
  return decoder;
}

Result<std::unique_ptr<Decoder>> load_decoder(const fs::path& path, Backend& backend,
                                              const LoadOptions& options) {
  auto files = open_model_files(path, options.max_context);
  if (!files) return files.error();
  return make_decoder(*files, backend, options);
}

std::vector<TensorInfo> speculative_tensors(const ModelFiles& files) {
  const Architecture* const architecture = find_architecture(files.config.architecture);
  if (architecture == nullptr || files.config.num_speculative_layers == 0) return {};
  TensorNames names = conventions_of(*architecture, files.format, *files.weights).names;
  names.add_speculative_layers(files.config.num_layers, files.config.num_speculative_layers, false);
  std::vector<TensorInfo> found;
  for (const TensorInfo& tensor : files.weights->tensors()) {
    if (names.is_speculative(tensor.name)) found.push_back(tensor);
  }
  return found;
}

}  // namespace quire
