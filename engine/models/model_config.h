#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/dtype.h"

namespace quire {

/// How positions become rotations. Later architectures add their scaling kinds here.
struct RopeConfig {
  enum class Scaling { kNone, kLinear, kLlama3 };
  float theta = 10000.0f;
  int rotary_dim = 0;  ///< Rotated dimensions of a head; 0 means all of head_dim.
  Scaling scaling = Scaling::kNone;
  float factor = 1.0f;
  float low_freq_factor = 1.0f;   ///< kLlama3.
  float high_freq_factor = 4.0f;  ///< kLlama3.
  int original_max_positions = 0; ///< kLlama3.
};

/// What a model is, in the field's terms, whatever file it came from.
struct ModelConfig {
  std::string architecture;  ///< "LlamaForCausalLM".
  std::string name;          ///< What the user calls it: the folder's or file's name.
  int hidden_size = 0;
  int intermediate_size = 0;
  int num_layers = 0;
  int num_heads = 0;
  int num_kv_heads = 0;
  int head_dim = 0;
  int vocab_size = 0;
  int max_positions = 0;     ///< The context that the model was trained for, in tokens.
  float rms_norm_eps = 1e-5f;
  RopeConfig rope;
  int sliding_window = 0;    ///< A token sees at most this many last ones, itself included; 0 is all.
  bool tie_word_embeddings = false;
  bool attention_bias = false;
  bool mlp_bias = false;
  std::vector<int32_t> end_tokens;  ///< Any of these ends an answer: a set, from all of the model's files.
  int32_t bos_token = -1;           ///< -1: none.

  /// Sampling defaults of generation_config.json; negative where the file says nothing.
  float default_temperature = -1.0f;
  float default_top_p = -1.0f;
  int default_top_k = -1;
};

}  // namespace quire
