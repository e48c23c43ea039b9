#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// A model in a few words, as lists of models show it.
struct ModelDetails {
  std::string family;        ///< The architecture as the files spell it: "qwen3"; empty: unknown.
  std::string quantization;  ///< "Q4_K_M", or the type of most of its bytes: "BF16".
  int64_t num_parameters = 0;
  uint64_t file_bytes = 0;
};

/// Reads the heads of the files only: no weights, no tokenizer. Thread: any. Errors: those of the
/// weights' files.
Result<ModelDetails> read_model_details(const std::filesystem::path& path);

/// "8.2B", "270M", "12.3K": as model cards write it.
std::string parameter_count_text(int64_t num_parameters);

/// The name of a mixture of types (general.file_type of llama.cpp's converter); empty if all
/// tensors have one type, or the number is not known.
std::string gguf_mixture_name(int64_t file_type);

}  // namespace quire
