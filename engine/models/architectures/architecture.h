#pragma once

#include <span>
#include <string_view>

#include "engine/io/json_fields.h"
#include "engine/models/model_config.h"
#include "engine/models/read_rope.h"
#include "engine/models/tensor_names.h"

namespace quire {

/// What transformers assumes for fields that config.json leaves out. Sizes that are 0 must be
/// given.
struct ConfigDefaults {
  int64_t num_heads = 0;
  int64_t num_kv_heads = 0;  ///< 0: as many as heads.
  int64_t head_dim = 0;      ///< 0: hidden_size / num_heads.
  int64_t vocab_size = 0;
  int64_t max_positions = 2048;
  double rms_norm_eps = 1e-6;
  bool tie_word_embeddings = false;
  RopeDefaults rope;
};

/// Everything in which one architecture differs from Llama: each is a constant in a file of its
/// own, and the registry lists them.
struct Architecture {
  std::string_view name;  ///< As GGUF's general.architecture spells it.
  /// What config.json's `architectures` and `model_type` call it.
  std::span<const std::string_view> other_names;
  ConfigDefaults defaults;
  /// Reads what goes beyond sizes, norms' epsilon, tying and rotation. config.layers has as many
  /// layers as the model, all alike. Faults stay in the fields.
  void (*read)(JsonFields& fields, ModelConfig& config);
  TensorNameList hugging_face_names = {};  ///< Exceptions to Llama's names.
  TensorNameList gguf_names = {};          ///< Exceptions to Quire's own names, which are GGUF's.
  /// Whether GGUF stores the rows of Q and K in the order that rotates adjacent pairs.
  bool rotates_pairs_in_gguf = false;
  /// Whether Hugging Face's files store norms' weights minus 1.
  bool norms_minus_one_in_hugging_face = false;
  /// Whether Hugging Face's files store experts with inputs as rows, gate and up interleaved.
  bool transposes_experts_in_hugging_face = false;
};

}  // namespace quire
