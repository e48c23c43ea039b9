#pragma once

#include <filesystem>
#include <memory>

#include "engine/quantize/tensor_source.h"

namespace quire {

/// The model of a Hugging Face folder as a GGUF file would hold it. `model` must outlive it.
/// Errors: those of folder_metadata(); kUnsupported for an architecture that Quire does not write,
/// and for what the configuration says and GGUF's metadata cannot.
Result<std::unique_ptr<TensorSource>> open_folder_source(OpenedModel& model,
                                                         const std::filesystem::path& folder);

/// All metadata of the file: general, the architecture's, the tokenizer's and the chat template.
/// Errors: kUnsupported for a tokenizer that GGUF files cannot hold.
Result<GgufMetadata> folder_metadata(const std::filesystem::path& folder,
                                     const ModelConfig& config);

/// Whether a file with that metadata is read as the same configuration. Errors: kUnsupported.
Result<void> check_metadata(const ModelConfig& config, TensorSource& source);

/// Adds tokenizer.ggml.* and the chat template. Errors: as folder_metadata().
Result<void> add_folder_tokenizer(const std::filesystem::path& folder, const ModelConfig& config,
                                  GgufMetadata& metadata);

/// The divisors by which GGUF files express Llama 3's scaling of frequencies. The frequencies have
/// the same bits where any divisor gives these.
std::vector<float> llama3_divisors(const RopeConfig& rope, int head_dim);

}  // namespace quire
