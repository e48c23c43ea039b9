#include "engine/models/model_files.h"

#include <utility>

#include "engine/io/safetensors.h"
#include "engine/models/json_config.h"
#include "engine/models/registry.h"

namespace quire {

Result<ModelFiles> open_model_files(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Error{ErrorCode::kNotFound, path.string() + " does not exist"};
  }
  if (!std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kUnsupported,
                 path.string() + " is a file; choose the folder that holds config.json and the "
                                 "safetensors"};
  }
  auto config = read_model_config(path);
  if (!config) return config.error();
  auto weights = SafetensorsWeights::open(path);
  if (!weights) return weights.error();
  return ModelFiles{std::move(*config), std::move(*weights)};
}

Result<std::unique_ptr<Decoder>> load_decoder(const std::filesystem::path& path, Backend& backend,
                                              const LoadOptions& options) {
  auto files = open_model_files(path);
  if (!files) return files.error();
  return make_decoder(files->config, *files->weights, backend, options);
}

}  // namespace quire
