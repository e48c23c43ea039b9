#include "engine/models/model_files.h"

#include <utility>

#include "engine/io/safetensors.h"
#include "engine/models/gguf_files.h"
#include "engine/models/json_config.h"
#include "engine/models/load_weights.h"
#include "engine/models/registry.h"
#include "engine/models/rope.h"
#include "engine/models/rope_tensors.h"
#include "engine/models/transformer.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

/// What both formats have in common once their configuration is read.
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

/// What is missing from a folder that holds no model, as far as can be told.
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

}  // namespace

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
  return TransformerDecoder::create(placement, files.config, std::move(weights));
}

Result<std::unique_ptr<Decoder>> load_decoder(const fs::path& path, Backend& backend,
                                              const LoadOptions& options) {
  auto files = open_model_files(path, options.max_context);
  if (!files) return files.error();
  return make_decoder(*files, backend, options);
}

}  // namespace quire
