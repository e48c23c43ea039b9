#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/backend.h"

namespace quire {

class Sha256;

/// How positions become rotations (arXiv:2104.09864), and how they are stretched beyond the context
/// that a model was first trained for.
struct RopeConfig {
  enum class Scaling {
    kNone,
    kLinear,    ///< Frequencies divided by `factor` (arXiv:2306.15595).
    kDynamic,   ///< theta grown for the served context (NTK-aware interpolation).
    kLlama3,    ///< Long wavelengths divided by `factor`, short ones kept (Llama 3.1).
    kYarn,      ///< arXiv:2309.00071.
    kLongRope,  ///< A divisor for each frequency: one set up to the original context, another for
                ///< contexts beyond it (arXiv:2402.13753).
    kProportional,  ///< Frequencies of the whole head, of which only the first are not 0, divided
                    ///< by `factor` (Gemma 4). In `divisors`, the others' are infinite.
  };
  float theta = 10000.0f;
  int rotary_dim = 0;  ///< Rotated dimensions of a head, its first ones; 0 means all of head_dim.
  Scaling scaling = Scaling::kNone;
  float factor = 1.0f;
  int original_max_positions = 0;  ///< Every kind but kNone and kLinear.
  int served_context = 0;          ///< kDynamic, kLongRope: see serve_context() in rope.h.
  float low_freq_factor = 1.0f;    ///< kLlama3.
  float high_freq_factor = 4.0f;   ///< kLlama3.
  float beta_fast = 32.0f;         ///< kYarn.
  float beta_slow = 1.0f;          ///< kYarn.
  bool truncate = true;            ///< kYarn: whether the ramp's ends are whole dimensions.
  /// What cosines and sines are multiplied with (kYarn, kLongRope). 0: what the papers derive.
  float attention_factor = 0.0f;
  /// kYarn: what latent attention multiplies its scores with the square of.
  float score_factor = 1.0f;
  std::vector<float> short_factors;  ///< (R) kLongRope: divisors up to the original context.
  std::vector<float> long_factors;   ///< (R) kLongRope: divisors beyond it.
  /// (R) kNone, kProportional: divisors that a file holds ready-made (GGUF's rope_freqs); empty if
  /// it does not.
  std::vector<float> divisors;
};

/// What mixes the positions of a layer's sequences, if anything does.
enum class MixerKind {
  kAttention,
  kMla,
  kShortConv,
  kGatedDelta,
  kMamba2,
  kNone,
  kAttentionAndMamba2,
};

/// How Mamba 2's results are gated and normed.
enum class ScanGating { kGateThenNorm, kNormThenGate, kGateAlone };

/// What the parts of Mamba 2's input projection are multiplied with.
struct ScanScales {
  float gates = 1.0f, x = 1.0f, b = 1.0f, c = 1.0f, time_steps = 1.0f;
  bool operator==(const ScanScales&) const = default;
};

/// The sizes of a model's recurrent mixers.
struct RecurrentConfig {
  int conv_taps = 0;  ///< Of the causal convolution: a token and those before it.
  bool has_conv_bias = false;
  bool has_bias = false;    ///< Of the projections.
  int num_heads = 0;        ///< Of values (gated delta rule), or of the scan (Mamba 2).
  int num_groups = 0;       ///< Heads of queries and keys, or groups of B and C.
  int key_dim = 0;          ///< Of a head's state: of its keys, or of B and C.
  int value_dim = 0;        ///< Of a head's state: of its values.
  int num_norm_groups = 1;  ///< Mamba 2: equal parts of a row that are normed each by itself.
  ScanGating gating = ScanGating::kGateThenNorm;
  ScanScales scales;
  bool tiled_heads = false;  ///< GatedDeltaParams.
  float dt_min = 0.0f;       ///< Mamba2Params.
  float dt_max = std::numeric_limits<float>::infinity();
};

/// The settings of one layer.
struct LayerConfig {
  MixerKind mixer = MixerKind::kAttention;
  int sliding_window = 0;  ///< A token sees at most this many last ones, itself included; 0 is all.
  int rope = 0;            ///< Index into ModelConfig::ropes; -1: no rotation (NoPE).
  bool has_experts = false;  ///< Whether a mixture of experts takes the MLP's place.
  bool has_feed_forward = true;
  /// A token sees those of its own chunk of this many positions; 0 is all.
  int chunk_size = 0;
  /// Whether ModelConfig::query_scale applies.
  bool scales_queries = false;
  int head_dim = 0;  ///< 0: ModelConfig::head_dim; likewise the next two.
  int num_kv_heads = 0;
  int intermediate_size = 0;  ///< Of the MLP.
  int cache_layer = -1;  ///< An earlier layer whose keys and values it reads; -1: it has its own.
  /// Of an MLP: only gates above the row's mean by so many standard deviations are kept
  /// (Backend::gaussian_top_k).
  std::optional<float> gate_threshold = {};
  bool values_are_keys = false;  ///< Whether values are the keys before their norm and rotation.
};

/// Where a layer has norms: before each block, before and after it, only after it; or before both
/// blocks, which then read the same input (arXiv:2204.02311, section 2), by one norm or by one
/// each.
enum class NormPlacement { kPre, kSandwich, kPost, kParallel, kParallelTwo };

/// RMSNorm (arXiv:1910.07467), or LayerNorm (arXiv:1607.06450), which may have a bias.
enum class NormKind { kRms, kLayer, kLayerWithBias };

/// Whether queries and keys are normed before their rotation: each head separately, the same
/// without weights, or all heads of a token as one row.
enum class QkNorm { kNone, kPerHead, kUnweighted, kWhole };

/// A mixture of experts; num_experts 0 is a dense model.
struct ExpertsConfig {
  int num_experts = 0;
  int experts_per_token = 0;
  int intermediate_size = 0;                  ///< Of one expert.
  bool has_bias = false;                      ///< Of the router and of the experts' projections.
  RouteParams route = {.renormalize = true};  ///< Without its bias.
  bool has_choice_bias = false;               ///< RouteParams::bias, which the files hold.
  bool has_expert_scales = false;             ///< RouteParams::expert_scales, likewise.
  int shared_intermediate_size = 0;           ///< Of an MLP beside the experts; 0: none.
  bool gates_shared = false;                  ///< Whether a sigmoid of the input scales that MLP.
  int latent_size = 0;  ///< Of the experts' inputs and outputs, if projected; 0: hidden_size.
  /// Routers' scores scale what experts read, not what they write.
  bool scales_inputs = false;
};

/// Multi-head latent attention (arXiv:2405.04434); kv_rank 0 is a model without it.
struct MlaConfig {
  int q_rank = 0;             ///< Of the queries' latent; 0: they are projected from the input.
  int kv_rank = 0;            ///< Of the latent of keys and values, which the cache keeps.
  int nope_dim = 0;           ///< Dimensions of a head's keys that are not rotated,
  int rope_dim = 0;           ///< and that are.
  int value_dim = 0;          ///< Dimensions of a head's values.
  bool rotates_pairs = true;  ///< The files' rows are in the order that rotates adjacent pairs.
  float norm_eps = 1e-6f;     ///< Of the latents' norms.
};

/// Factors of blocks (Falcon-H1, arXiv:2507.22448).
struct BlockScales {
  float attention = 1.0f;  ///< Multiplies attention's result where a layer has two mixers.
  float mamba2 = 1.0f;     ///< The same of Mamba 2's.
  float mlp_gate = 1.0f;   ///< Multiplies the gate of an MLP before its activation.
  float mlp = 1.0f;        ///< Multiplies an MLP's result.
  bool operator==(const BlockScales&) const = default;
};

/// Per-layer embeddings (Gemma 3n and 4): each token has a row for every layer, from a table and
/// from the token's own embedding, that the layer's output is gated with; width 0 is a model
/// without.
struct PerLayerConfig {
  int width = 0;       ///< P: of a layer's part of a row.
  int table_rows = 0;  ///< Tokens beyond the table use its row 0.
};

/// Streams beside the one that layers compute (AltUp, arXiv:2301.13310), and the low-rank path
/// beside each layer's attention (Laurel, arXiv:2411.07501): Gemma 3n; num_streams 0 is a model
/// without.
struct AltUpConfig {
  int num_streams = 0;  ///< N, at least 2.
  int active = 0;       ///< The stream that layers compute.
  bool scales_corrected = false;
  int laurel_rank = 0;
};

/// A model's configuration, from files of any format.
struct ModelConfig {
  std::string architecture;  ///< The registry's name: "llama", "gemma3".
  std::string name;          ///< What the user calls it: the folder's or file's name.
  int hidden_size = 0;
  int intermediate_size = 0;
  int num_layers = 0;
  int num_heads = 0;
  int num_kv_heads = 0;
  int head_dim = 0;
  int num_speculative_layers = 0;  ///< Which follow the others in the files (speculative_layer.h).
  int vocab_size = 0;
  int max_positions = 0;  ///< The context that the model was trained for, in tokens.
  NormKind norm = NormKind::kRms;
  float norm_eps = 1e-5f;
  float post_norm_eps = 0.0f;  ///< Of norms after a block; 0: as all others.
  bool tie_word_embeddings = false;

  std::vector<RopeConfig> ropes{1};  ///< One, or several for layers that rotate differently.
  std::vector<LayerConfig> layers;   ///< (num_layers); a decoder may have one for drafts behind.
  NormPlacement norm_placement = NormPlacement::kPre;
  QkNorm qk_norm = QkNorm::kNone;
  RecurrentConfig recurrent;       ///< Of layers whose mixer is recurrent.
  bool has_output_gate = false;    ///< Whether a sigmoid of the input scales what is attended.
  bool gates_in_queries = false;   ///< That gate's rows follow each head's of the queries.
  bool gates_whole_heads = false;  ///< That gate has one number for each head.
  bool norms_embeddings = false;   ///< By an RMSNorm without weights.
  /// Rows of a table that is added to embeddings, from first_learned_position on; 0: none. Not
  /// fewer than max_positions.
  int num_learned_positions = 0;
  int first_learned_position = 0;  ///< Rows of that table before position 0.
  bool qkv_bias = false;
  bool output_bias = false;  ///< Of attention's output projection.
  bool mlp_bias = false;
  bool has_sinks = false;           ///< Each head's softmax has a learned extra score.
  float attention_scale = 0.0f;     ///< Multiplies query times key; 0 means 1 / sqrt(head_dim).
  float attention_soft_cap = 0.0f;  ///< 0 is off.
  float logits_soft_cap = 0.0f;     ///< 0 is off.
  float embedding_scale = 1.0f;     ///< Multiplies embeddings.
  BlockScales block_scales;
  float residual_scale = 1.0f;  ///< Multiplies what a block adds to the residual stream.
  float logits_scale = 1.0f;    ///< Multiplies logits.
  bool has_gated_mlp = true;
  GluParams glu;          ///< Of gated MLPs and experts.
  Activation activation;  ///< Of an MLP without gate; xIELU's parameters are the files'.
  bool head_bias = false;
  ExpertsConfig experts;
  MlaConfig mla;
  PerLayerConfig per_layer;
  AltUpConfig alt_up;
  bool norms_values = false;        ///< By head, by an RMSNorm without weights.
  bool has_layer_scale = false;     ///< Whether a number of each layer multiplies what leaves it.
  bool mlp_beside_experts = false;  ///< Layers of experts have an MLP with norms of its own, too.

  /// Queries and keys are normed after the rotation; layers without rotation have no such norm.
  bool norms_after_rotation = false;
  /// Of the queries, in layers with scales_queries.
  PositionScale query_scale;
  /// (num_layers) parameters of xIELU from metadata, in which `positive` and `negative` are stored
  /// as in the files' tensors; empty where there are tensors.
  std::vector<Activation> stored_activations;

  std::vector<int32_t> end_tokens;  ///< Any of these ends an answer; a set, from all files.
  int32_t bos_token = -1;           ///< -1: none.

  /// Sampling defaults of generation_config.json; negative where the file says nothing.
  float default_temperature = -1.0f;
  float default_top_p = -1.0f;
  int default_top_k = -1;
};

/// The tokens of which a layer keeps keys and values: its sliding window, or as many as a chunk
/// has, because a token's chunk begins fewer tokens before it; 0 for all of them, also where no
/// context exceeds that.
inline int kept_window(const ModelConfig& config, int layer) {
  const LayerConfig& at = config.layers[static_cast<size_t>(layer)];
  const int window = at.sliding_window > 0 ? at.sliding_window : at.chunk_size;
  return window < config.max_positions ? window : 0;
}

/// The sizes of a layer's attention and of its MLP.
int head_dim_of(const ModelConfig& config, int layer);
int num_kv_heads_of(const ModelConfig& config, int layer);
int intermediate_size_of(const ModelConfig& config, int layer);

/// The number of leading layers after which no layer has a cache of its own, so that a step whose
/// logits nobody asks for may end there.
int num_caching_layers(const ModelConfig& config);

/// Hashes everything of the config that changes what the model computes. Of rotations that is the
/// frequencies themselves: contexts with the same frequencies have the same hash.
void hash_config(const ModelConfig& config, Sha256& hash);

}  // namespace quire
