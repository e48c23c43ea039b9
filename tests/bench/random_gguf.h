#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kernels/base/dtype.h"

namespace quire::bench {

/// What a model's layers are made of.
enum class ModelFamily {
  kLlama,
  kHybrid,   ///< Qwen 3.5: three gated delta nets, then attention with an output gate.
  kLatent,   ///< DeepSeek V2's attention with latent keys and values (MLA), dense.
  kExperts,  ///< Qwen 3 MoE: experts of 768 columns, of which 8 are chosen.
};

/// A model's shape; by default the 1.1 billion parameters that the targets are measured with.
struct ModelShape {
  ModelFamily family = ModelFamily::kLlama;
  int num_layers = 16;
  int hidden_size = 2048;
  int num_heads = 32;
  int num_kv_heads = 8;
  int intermediate_size = 8192;
  int vocab_size = 32000;
  int context = 4096;
  int num_experts = 0;  ///< Of kExperts.
};

/// The shapes that are measured beside llama.cpp: "llama", "hybrid", "mla" and "moe", of about a
/// billion parameters each (of the mixture some 30B model's, four layers). None for another name.
std::optional<ModelShape> model_shape(std::string_view name);

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
/// row, and of the experts those that are chosen.
int64_t bytes_per_token(const WeightMix& mix, const ModelShape& shape);

/// Writes a GGUF file of random weights: matrices with scales near those of a trained model, so
/// that products stay finite, norms in f32, a sentencepiece vocabulary of made-up words. Ends the
/// program if the file cannot be written.
void write_random_gguf(const std::filesystem::path& path, const WeightMix& mix,
                       const ModelShape& shape);

/// The same with all matrices in `dtype` and the embedding tied to the output.
void write_random_gguf(const std::filesystem::path& path, DType dtype, const ModelShape& shape);

}  // namespace quire::bench
