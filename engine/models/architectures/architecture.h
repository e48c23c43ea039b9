#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/io/json_fields.h"
#include "engine/models/model_config.h"
#include "engine/models/read_rope.h"
#include "engine/models/weight_conventions.h"

namespace quire {

/// The defaults of transformers for fields that config.json lacks. Sizes of 0 are required.
struct ConfigDefaults {
  int64_t num_heads = 0;
  int64_t num_kv_heads = 0;  ///< 0: as many as heads.
  int64_t head_dim = 0;      ///< 0: hidden_size / num_heads.
  int64_t vocab_size = 0;
  int64_t max_positions = 2048;
  double norm_eps = 1e-6;
  int64_t intermediate_factor = 0;  ///< 0: required; else times hidden_size.
  bool tie_word_embeddings = false;
  RopeDefaults rope;
};

/// How one architecture differs from Llama: each is a constant in its own file, and registry.cpp
/// lists them.
struct Architecture {
  std::string_view name;  ///< As GGUF's general.architecture spells it.
  /// What config.json's `architectures` and `model_type` call it.
  std::span<const std::string_view> other_names;
  ConfigDefaults defaults;
  std::span<const FieldAlias> field_names = {};  ///< What config.json calls fields otherwise.
  /// Reads all but sizes, norms' epsilon, tying and rotation. config.layers has its final size.
  /// Errors stay in the fields.
  void (*read)(JsonFields& fields, ModelConfig& config);
  /// Completes the config once its rotations are known, or null.
  void (*finish)(ModelConfig& config) = nullptr;
  bool has_gguf_layout = true;             ///< Whether llama.cpp has files of this name.
  TensorNameList hugging_face_names = {};  ///< Exceptions to Llama's names.
  std::string_view hugging_face_layers = "model.layers.";
  TensorNameList gguf_names = {};  ///< Exceptions to Quire's own names, which are GGUF's.
  /// Whether GGUF stores the rows of Q and K in the order that rotates adjacent pairs.
  bool rotates_pairs_in_gguf = false;
  bool rotates_pairs_in_hugging_face = false;
  /// Whether GGUF stores value heads in the order of GatedDeltaParams::tiled_heads.
  bool tiles_heads_in_gguf = false;
  /// Whether Hugging Face's files store fused queries, keys and values head by head.
  bool interleaves_qkv_in_hugging_face = false;
  /// Whether Hugging Face's files store matrices but embeddings with inputs as rows (GPT-2).
  bool transposes_linears_in_hugging_face = false;
  /// Whether Hugging Face's files store norms' weights minus 1.
  bool norms_minus_one_in_hugging_face = false;
  /// Whether those of the norm before the head are an exception to that.
  bool keeps_last_norm_in_hugging_face = false;
  /// Whether the head is a tensor of its own in Hugging Face's files, whatever they say.
  bool never_ties_in_hugging_face = false;
  /// Whether Hugging Face's files store experts with inputs as rows, gate and up as one.
  bool transposes_experts_in_hugging_face = false;
  /// Whether gate and up alternate in those (gpt-oss, whose experts may be MXFP4).
  bool interleaves_experts_in_hugging_face = false;
};

extern const Architecture kApertus;
extern const Architecture kArcee;
extern const Architecture kArcee;
extern const Architecture kCohere2;
extern const Architecture kDeepseek2;
extern const Architecture kDeepseekV3;
extern const Architecture kDots1;
extern const Architecture kErnie45;
extern const Architecture kErnie45Moe;
extern const Architecture kExaone4;
extern const Architecture kFalconH1;
extern const Architecture kGemma2;
extern const Architecture kGemma3;
extern const Architecture kGemma3n;
extern const Architecture kGemma4;
extern const Architecture kGlm4;
extern const Architecture kGlm4Moe;
extern const Architecture kGlm4MoeLite;
extern const Architecture kGpt2;
extern const Architecture kGptNeox;
extern const Architecture kGptOss;
extern const Architecture kGranite;
extern const Architecture kGraniteHybrid;
extern const Architecture kGraniteMoe;
extern const Architecture kLfm2;
extern const Architecture kLfm2Moe;
extern const Architecture kLfm3;
extern const Architecture kHunyuanDense;
extern const Architecture kHunyuanMoe;
extern const Architecture kHyV3;
extern const Architecture kLlama4;
extern const Architecture kQwen35;
extern const Architecture kQwen35Moe;
extern const Architecture kQwen3Next;
extern const Architecture kLlama;
extern const Architecture kMiniMaxM2;
extern const Architecture kMinistral3;
extern const Architecture kMistral;
extern const Architecture kMistral4;
extern const Architecture kMixtral;
extern const Architecture kMuseGlimmer;
extern const Architecture kNemotronH;
extern const Architecture kNemotronHMoe;
extern const Architecture kOlmo2;
extern const Architecture kOlmo3;
extern const Architecture kOpt;
extern const Architecture kPhi;
extern const Architecture kPhi3;
extern const Architecture kQwen2;
extern const Architecture kQwen2Moe;
extern const Architecture kQwen3;
extern const Architecture kQwen3Moe;
extern const Architecture kSeedOss;
extern const Architecture kSmolLm3;
extern const Architecture kStableLm;
extern const Architecture kStarcoder2;

/// The architecture of that name: GGUF's ("llama") or a Hugging Face class ("LlamaForCausalLM").
/// Null if Quire does not run it.
const Architecture* find_architecture(std::string_view name);

/// "gemma2, gemma3, ...", for messages.
std::string supported_architectures();

}  // namespace quire
