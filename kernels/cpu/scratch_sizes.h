#pragma once

#include "kernels/backend.h"

namespace quire::cpu {

inline int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// Sizes of an attention with these heads, in floats.
struct AttentionSizes {
  int64_t num_kv_heads;  ///< Those of the pages, times `slices`.
  int64_t group;         ///< Query heads for each of them.
  int64_t key_dim;
  int64_t value_dim;
  /// The query heads of one KV head are computed in this many groups of their own, so that the
  /// states of each are in a cache that is near, and threads can divide them.
  int64_t slices;

  static AttentionSizes of(int64_t num_heads, int64_t num_kv_heads, int64_t key_dim,
                           int64_t value_dim);

  int64_t padded_key_dim() const;
  int64_t padded_value_dim() const;
  int64_t part_rows() const;    ///< Rows of a part of a tile.
  int64_t page_floats() const;  ///< AttentionTile::page_floats
  int64_t state_floats() const { return group * (padded_value_dim() + 2); }
  int64_t row_state_floats() const { return num_kv_heads * state_floats(); }
  /// AttentionTile::scratch of one thread.
  int64_t scratch_floats(int64_t max_context) const;
};

/// At most this much memory holds the states of rows whose attention is split.
inline constexpr int64_t kMaxStateFloats = int64_t{16} << 20;

/// Adds the formats of activations that a weight of these parts needs.
void add_weight(WeightFormats& formats, std::span<const ConstTensorView> parts, bool quantizes,
                bool has_bf16);

/// Bytes of activations (rows, inputs) in each format, as chunks of kChunkInputs inputs. The stride
/// from one chunk of a row to its next, in chunks, is odd for the narrow formats: otherwise all
/// chunks of a row could map to the same cache sets.
inline int64_t chunk_stride(int64_t num_rows) {
  return num_rows | 1;
}
size_t int8_activation_bytes(int64_t num_rows, int64_t num_inputs);
size_t bf16_activation_bytes(int64_t num_rows, int64_t num_inputs);
size_t f32_activation_bytes(int64_t num_rows, int64_t num_inputs);

/// Floats of GatedDeltaHead::scratch and Mamba2Head::scratch, the columns (dimensions) padded.
int64_t gated_delta_scratch(int64_t key_dim, int64_t num_columns);
int64_t mamba2_scratch(int64_t num_dims, int64_t state_size);

/// Bytes of all buffers that a step uses in addition to its tensors.
struct ScratchSizes {
  size_t int8 = 0;
  size_t bf16 = 0;
  size_t f32 = 0;
  size_t states = 0;
  size_t thread = 0;  ///< Of each thread.

  /// In whole memory pages.
  size_t total(int num_threads) const;
};

ScratchSizes scratch_sizes(const StepLimits& limits, const WeightFormats& formats);

/// Bytes of the packed weight. pairs_halves: 16-bit weights are stored as bf16 pairs.
size_t packed_weight_bytes(std::span<const ConstTensorView> parts, bool pairs_halves);

}  // namespace quire::cpu
