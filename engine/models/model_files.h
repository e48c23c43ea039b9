#pragma once

#include <filesystem>
#include <memory>

#include "engine/io/weights.h"
#include "engine/models/decoder.h"
#include "engine/models/load_options.h"
#include "engine/models/weight_conventions.h"

namespace quire {

/// What every loader starts with: the numbers and the tensors, nothing computed yet.
struct ModelFiles {
  ModelConfig config;
  std::unique_ptr<WeightSource> weights;
  FileFormat format = FileFormat::kHuggingFace;
};

/// Opens a model: a folder with config.json and safetensors, a GGUF file (any part of a split set),
/// or a folder with one GGUF model. `max_context` as in LoadOptions; the config says what it leads
/// to. Errors: those of read_model_config, SafetensorsWeights::open, find_gguf_model and
/// open_gguf_model; kUnsupported for another file.
Result<ModelFiles> open_model_files(const std::filesystem::path& path, int max_context = 0);

/// Builds the decoder that the files describe. They are not needed afterwards.
/// Errors: those of WeightLoader; kOutOfMemory.
Result<std::unique_ptr<Decoder>> make_decoder(const ModelFiles& files,
                                              const LayerPlacement& placement,
                                              const LoadOptions& options = {});
/// The same with all layers on one backend.
Result<std::unique_ptr<Decoder>> make_decoder(const ModelFiles& files, Backend& backend,
                                              const LoadOptions& options = {});

/// The inner part of load_model: config.json and the weights alone, without tokenizer or template.
Result<std::unique_ptr<Decoder>> load_decoder(const std::filesystem::path& path, Backend& backend,
                                              const LoadOptions& options = {});

}  // namespace quire
