#pragma once

#include <filesystem>
#include <memory>

#include "engine/io/weights.h"
#include "engine/models/decoder.h"
#include "engine/models/load_options.h"

namespace quire {

/// What every loader starts with: the numbers and the tensors, nothing computed yet.
struct ModelFiles {
  ModelConfig config;
  std::unique_ptr<WeightSource> weights;
};

/// Opens a model folder. Errors: those of read_model_config and SafetensorsWeights::open;
/// kUnsupported for a path that is no folder.
Result<ModelFiles> open_model_files(const std::filesystem::path& path);

/// The inner part of load_model: config.json and the weights alone, without tokenizer or template.
Result<std::unique_ptr<Decoder>> load_decoder(const std::filesystem::path& path, Backend& backend,
                                              const LoadOptions& options = {});

}  // namespace quire
