#pragma once

#include <cstdint>
#include <filesystem>

#include "kernels/base/dtype.h"

namespace quire::bench {

/// A Llama's shape; by default the 1.1 billion parameters that the targets are measured with.
struct ModelShape {
  int num_layers = 16;
  int hidden_size = 2048;
  int num_heads = 32;
  int num_kv_heads = 8;
  int intermediate_size = 8192;
  int vocab_size = 32000;
  int context = 4096;
};

/// Writes a GGUF file of random weights: matrices in `dtype` with scales near those of a trained
/// model, so that products stay finite, norms in f32, the embedding tied to the output, a
/// sentencepiece vocabulary of made-up words. Ends the program if the file cannot be written.
void write_random_gguf(const std::filesystem::path& path, DType dtype, const ModelShape& shape);

}  // namespace quire::bench
