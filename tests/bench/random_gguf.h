#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

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

/// Which dtype each matrix of a file has.
struct WeightMix {
  DType matrices;
  /// Of attn_v and ffn_down in the layers that llama.cpp's mixes (the names in _M) give more bits.
  DType more_bits;
  /// Of the output; none: it is tied to the embedding.
  std::optional<DType> output;
};

/// The mix that llama.cpp's llama-quantize makes under a name of its own, such as Q4_0 or Q4_K_M,
/// for a model whose output is not tied. None for a name that is not known here.
std::optional<WeightMix> weight_mix(std::string_view name);

/// What is read of such a file to decode one token: all matrices and norms, of the embedding one
/// row.
int64_t bytes_per_token(const WeightMix& mix, const ModelShape& shape);

/// Writes a GGUF file of random weights: matrices with scales near those of a trained model, so
/// that products stay finite, norms in f32, a sentencepiece vocabulary of made-up words. Ends the
/// program if the file cannot be written.
void write_random_gguf(const std::filesystem::path& path, const WeightMix& mix,
                       const ModelShape& shape);

/// The same with all matrices in `dtype` and the embedding tied to the output.
void write_random_gguf(const std::filesystem::path& path, DType dtype, const ModelShape& shape);

}  // namespace quire::bench
