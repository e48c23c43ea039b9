#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/rope_config.h"
#include "kernels/backend.h"

namespace quire {

/// What one layer does differently from its neighbours.
struct LayerConfig {
  int sliding_window = 0;  ///< A token sees at most this many last ones, itself included; 0 is all.
  int rope = 0;            ///< Index into ModelConfig::ropes; -1: no rotation (NoPE).
  bool has_experts = false;  ///< Whether a mixture of experts takes the MLP's place.
};

/// Where a layer norms: what enters each block, what leaves it as well, or only what leaves it.
enum class NormPlacement { kPre, kSandwich, kPost };

/// Whether queries and keys are normed before their rotation: each head by itself, or all heads of
/// a token as one row.
enum class QkNorm { kNone, kPerHead, kWhole };

/// A mixture of experts; num_experts 0 is a dense model.
struct ExpertsConfig {
  int num_experts = 0;
  int experts_per_token = 0;
  int intermediate_size = 0;  ///< Of one expert.
  bool renormalize = true;    ///< Whether the chosen experts' weights are made to add up to 1.
  bool has_bias = false;      ///< Of the router and of the experts' projections.
};

/// What a model is, in the field's terms, whatever file it came from.
struct ModelConfig {
  std::string architecture;  ///< The registry's name: "llama", "gemma3".
  std::string name;          ///< What the user calls it: the folder's or file's name.
  int hidden_size = 0;
  int intermediate_size = 0;
  int num_layers = 0;
  int num_heads = 0;
  int num_kv_heads = 0;
  int head_dim = 0;
  int vocab_size = 0;
  int max_positions = 0;  ///< The context that the model was trained for, in tokens.
  float rms_norm_eps = 1e-5f;
  bool tie_word_embeddings = false;

  std::vector<RopeConfig> ropes{1};  ///< One, or several for layers that rotate differently.
  std::vector<LayerConfig> layers;   ///< (num_layers).
  NormPlacement norm_placement = NormPlacement::kPre;
  QkNorm qk_norm = QkNorm::kNone;
  bool qkv_bias = false;
  bool output_bias = false;  ///< Of attention's output projection.
  bool mlp_bias = false;
  bool has_sinks = false;           ///< Each head's softmax has a learned extra score.
  float attention_scale = 0.0f;     ///< Multiplies query times key; 0 means 1 / sqrt(head_dim).
  float attention_soft_cap = 0.0f;  ///< 0 is off.
  float logits_soft_cap = 0.0f;     ///< 0 is off.
  float embedding_scale = 1.0f;     ///< Multiplies embeddings.
  float residual_scale = 1.0f;      ///< Multiplies what a block adds to the residual stream.
  float logits_scale = 1.0f;        ///< Multiplies logits.
  GluParams glu;
  ExpertsConfig experts;

  std::vector<int32_t> end_tokens;  ///< Any of these ends an answer: a set, from all of the files.
  int32_t bos_token = -1;           ///< -1: none.

  /// Sampling defaults of generation_config.json; negative where the file says nothing.
  float default_temperature = -1.0f;
  float default_top_p = -1.0f;
  int default_top_k = -1;
};

}  // namespace quire
