#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/io/gguf_file.h"
#include "engine/io/weights.h"
#include "engine/models/decoder.h"
#include "engine/models/load_options.h"
#include "engine/models/weight_conventions.h"

namespace quire {

/// An opened model: its configuration and its tensors.
struct ModelFiles {
  ModelConfig config;
  std::unique_ptr<WeightSource> weights;
  FileFormat format = FileFormat::kHuggingFace;
};

/// A model's files, opened once, whether Quire runs the model or not.
struct OpenedModel {
  Result<ModelConfig> config;  ///< Or why Quire does not run it.
  std::unique_ptr<WeightSource> weights;
  FileFormat format = FileFormat::kHuggingFace;
};

/// Whether a file claims to be GGUF: by its name, or by its first bytes, since Ollama's files have
/// no extension.
bool is_gguf_file(const std::filesystem::path& path);

/// The GGUF model of a folder, for folders without safetensors; nothing if it holds none.
/// Errors: kInvalidArgument listing the models where there are several.
Result<std::optional<std::filesystem::path>> find_gguf_model(const std::filesystem::path& folder);

/// The GGUF file of a model given by a file or a folder; nothing for a model of another format.
/// Errors: those of find_gguf_model.
Result<std::optional<std::filesystem::path>> resolve_gguf(const std::filesystem::path& model);

/// The metadata of a model given by a file or a folder, without its weights; nothing for a model of
/// another format. Errors: those of resolve_gguf and open_gguf_set.
Result<std::optional<GgufFile>> open_gguf_metadata(const std::filesystem::path& model);

/// The file with the metadata; null for a model of another format.
const GgufFile* gguf_metadata(const ModelFiles& files);

/// Opens a model: a folder with config.json and safetensors, a GGUF file (any part of a split set),
/// or a folder with one GGUF model. `max_context` as in LoadOptions; the config says what it leads
/// to. Errors: those of read_model_config, SafetensorsWeights::open, find_gguf_model,
/// GgufWeights::open and read_gguf_config; kUnsupported for another file.
Result<ModelFiles> open_model_files(const std::filesystem::path& path, int max_context = 0);

/// The same for a model of any architecture. Errors: those of the weights' files; an error of the
/// configuration is in the result.
Result<OpenedModel> open_any_model(const std::filesystem::path& path, int max_context = 0);

/// Builds the decoder that the files describe. They are not needed afterwards.
/// Errors: those of WeightLoader; kOutOfMemory; kIo if a file became shorter meanwhile.
Result<std::unique_ptr<Decoder>> make_decoder(const ModelFiles& files,
                                              const LayerPlacement& placement,
                                              const LoadOptions& options = {});
/// The same with all layers on one backend.
Result<std::unique_ptr<Decoder>> make_decoder(const ModelFiles& files, Backend& backend,
                                              const LoadOptions& options = {});

/// Loads the decoder alone, without tokenizer and template.
Result<std::unique_ptr<Decoder>> load_decoder(const std::filesystem::path& path, Backend& backend,
                                              const LoadOptions& options = {});

/// The tensors of the layers for speculation, in the order of the files. Loading does not read
/// them, unless LoadOptions::speculative_layers asks for it.
std::vector<TensorInfo> speculative_tensors(const ModelFiles& files);

}  // namespace quire
