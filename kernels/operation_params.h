#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "kernels/base/tensor_view.h"

namespace quire {

/// The most inputs of a causal convolution's output (Backend::causal_conv).
inline constexpr int kMaxConvInputs = 16;

struct AttentionParams {
  float scale = 1.0f;      ///< Multiplies query times key; positive.
  int sliding_window = 0;  ///< A row sees at most this many last keys, itself included; 0 is all.
  int chunk_size = 0;      ///< A row sees keys of its own chunk of this many positions; 0 is all.
  float soft_cap = 0.0f;   ///< Scores become cap * tanh(score / cap); 0 is off.
  /// (H) f32, or empty: attention sinks (arXiv:2309.17453; gpt-oss). Each head's softmax has one
  /// more key with this score, after scale and cap, and a value of zero.
  ConstTensorView sinks = {};
};

/// The gated activation of an MLP.
struct GluParams {
  enum class Kind {
    kSilu,      ///< silu(gate) * up (arXiv:2002.05202).
    kGeluTanh,  ///< gelu(gate) * up, gelu by its tanh approximation (arXiv:1606.08415).
    /// gate and up clamped to at most `limit`, up to at least -limit:
    /// gate * sigmoid(alpha * gate) * (up + 1) (gpt-oss).
    kClampedSwiglu,
  };
  Kind kind = Kind::kSilu;
  float limit = 7.0f;    ///< kClampedSwiglu.
  float alpha = 1.702f;  ///< kClampedSwiglu.
};

/// A function of each number alone, in MLPs without a gate.
struct Activation {
  enum class Kind {
    kRelu,
    kSquaredRelu,  ///< relu(x)^2 (arXiv:2109.08668).
    kSilu,
    kGelu,      ///< x Phi(x) (arXiv:1606.08415).
    kGeluTanh,  ///< The same by its tanh approximation.
    /// positive x^2 + beta x above 0, negative (expm1(min(x, eps)) - x) + beta x up to it
    /// (arXiv:2411.13010).
    kXielu,
  };
  Kind kind = Kind::kGeluTanh;
  float positive = 0.8f;  ///< This and what follows: kXielu.
  float negative = 0.8f;
  float beta = 0.5f;
  float eps = -1e-6f;
};

/// Factors that grow with the position: 1 + beta ln(1 + floor((position + offset) / interval)).
struct PositionScale {
  float beta = 0.0f;  ///< 0: all are 1.
  int interval = 1;   ///< Positions; at least 1.
  int offset = 0;
};

/// How experts are chosen from a router's logits, and weighted.
struct RouteParams {
  enum class Scoring { kSoftmax, kSigmoid };
  /// How groups of experts are ranked: by their best expert (arXiv:2405.04434), or by the sum of
  /// their two best (arXiv:2412.19437).
  enum class GroupRank { kBest, kTwoBest };
  Scoring scoring = Scoring::kSoftmax;
  bool renormalize = false;   ///< The chosen experts' scores are divided by their sum.
  float scale = 1.0f;         ///< Multiplies them afterwards.
  ConstTensorView bias = {};  ///< (E) f32 or empty: added to scores for the choice alone.
  int num_groups = 1;         ///< Of equal numbers of consecutive experts.
  int top_groups = 1;         ///< Only experts of this many groups are chosen.
  GroupRank group_rank = GroupRank::kBest;
  /// (E) f32 or empty: multiplies the chosen experts' weights in the end.
  ConstTensorView expert_scales = {};
};

struct GatedDeltaParams {
  ConstTensorView a;         ///< (Hv) f32, -exp(A_log).
  ConstTensorView dt_bias;   ///< (Hv) f32
  float eps = 1e-6f;         ///< Of the L2 norms.
  bool tiled_heads = false;  ///< Value head h has key head h % Hk; otherwise h / (Hv / Hk).
};

struct Mamba2Params {
  ConstTensorView a;        ///< (H) f32, -exp(A_log).
  ConstTensorView dt_bias;  ///< (H) f32
  ConstTensorView d;        ///< (H) f32
  float dt_min = 0.0f;
  float dt_max = std::numeric_limits<float>::infinity();
};

struct GatedNormParams {
  int64_t group_size = 1;  ///< Divides C.
  float eps = 1e-6f;
  bool gate_first = false;  ///< norm(x silu(gate)) weight; otherwise norm(x) weight silu(gate).
};

/// How the token of one row of logits is sampled; the fields are those of the engine's
/// SamplingParams.
struct SampleRow {
  float temperature = 0.0f;  ///< 0 is greedy; otherwise at least 1e-6.
  int32_t top_k = 0;         ///< 0 keeps all.
  float top_p = 1.0f;
  float min_p = 0.0f;
  double uniform = 0.0;  ///< The row's random number, in [0, 1).
  float repetition_penalty = 1.0f;
  float presence_penalty = 0.0f;
  float frequency_penalty = 0.0f;
  /// The tokens to penalise are seen_ids[first_seen, first_seen + num_seen) of the batch.
  int32_t first_seen = 0;
  int32_t num_seen = 0;
  /// The tokens with a bias are bias_ids[first_bias, first_bias + num_biases) of the batch.
  int32_t first_bias = 0;
  int32_t num_biases = 0;
  /// The row's mask begins at that word of allowed_words and has ceil(V / 32) words; -1: all tokens
  /// are allowed.
  int32_t first_allowed_word = -1;
};

/// Host memory, one SampleRow for each row of logits.
struct SampleBatch {
  std::span<const SampleRow> rows;
  std::span<const int32_t> seen_ids;       ///< Unique within a row.
  std::span<const int32_t> output_counts;  ///< Occurrences of each of seen_ids in the output.
  std::span<const int32_t> bias_ids;       ///< Unique within a row.
  std::span<const float> biases;           ///< Added to the logits of bias_ids, after penalties.
  /// Bit i % 32 of a mask's word i / 32 is set if token i may be sampled; some token may.
  std::span<const uint32_t> allowed_words;
};

}  // namespace quire
