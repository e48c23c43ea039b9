#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/shape_checks.h"
#include "kernels/base/tensor_view.h"

namespace quire {

/// Tokens in one block of the KV pool; a constant of every kernel and of the cache.
inline constexpr int kBlockSize = 16;

/// Keys and values of one layer, in pages of f32|f16|bf16|f8_e4m3|i8. Token p of a sequence lives
/// in the block block_table[p / kBlockSize], at slot p % kBlockSize. Values have Dv dimensions,
/// which may be another number than the keys' D.
struct KvLayerView {
  /// (B, Hkv, kBlockSize, D), or (B, Hkv, D, kBlockSize) with DeviceInfo::keys_by_dimension.
  TensorView keys;
  TensorView values;  ///< (B, Hkv, kBlockSize, Dv)
  /// (B, Hkv, kBlockSize) f32, only for i8: the factors of the integers, for each slot its largest
  /// absolute value over 127.
  TensorView key_scales = {};
  TensorView value_scales = {};

  /// Whether the views have the shapes of pages with that many KV heads and dimensions, including
  /// the scales if they are i8.
  bool has_shape(int64_t num_kv_heads, int64_t key_dim, int64_t value_dim,
                 bool keys_by_dimension) const {
    const DType dtype = keys.dtype();
    const int64_t B = keys.dim(0);
    return quire::has_shape(keys, dtype,
                            {B, num_kv_heads, keys_by_dimension ? key_dim : kBlockSize,
                             keys_by_dimension ? kBlockSize : key_dim}) &&
           quire::has_shape(values, dtype, {B, num_kv_heads, kBlockSize, value_dim}) &&
           (dtype != DType::kI8 ||
            have_shape({key_scales, value_scales}, {B, num_kv_heads, kBlockSize}));
  }
};

/// The ragged batch of one step, the same for all layers: sequence s owns the query rows
/// [query_start[s], query_start[s + 1]), which are the last rows of its context. A backend with
/// CUDA graphs (Backend::captures_graphs) also accepts padding: sequences with rows and a context
/// of 0, whose rows of the result are undefined.
struct AttentionBatch {
  ConstTensorView query_start;  ///< (S + 1) i32, ascending from 0 to T.
  ConstTensorView
      context_len;  ///< (S) i32: keys that the sequence's last row sees, its own included.
  /// (S, max_blocks) i32. Entries past the context are not read. With a sliding window, entries
  /// before the window name any block; what it holds changes no result, unless it is not finite.
  ConstTensorView block_tables;
};

/// The recurrent states that a step reads and writes. Sequence s owns the rows [query_start[s],
/// query_start[s + 1]) of the step, as in AttentionBatch, and the segments [segment_start[s],
/// segment_start[s + 1]), which divide its rows: segment g ends before row row_end[g]. The sequence
/// begins with the state in slot in[s], or with zeros for -1; the state after each segment is
/// written to slot out[g], or nowhere for -1. A slot that a sequence writes is read by no other
/// sequence of the step; out may be in. Padding: sequences with one row, in -1 and out -1, whose
/// results are undefined.
struct StateBatch {
  ConstTensorView query_start;    ///< (S + 1) i32, ascending from 0 to T.
  ConstTensorView segment_start;  ///< (S + 1) i32, ascending from 0 to G; at least one a sequence.
  ConstTensorView row_end;        ///< (G) i32, ascending.
  ConstTensorView out;            ///< (G) i32
  ConstTensorView in;             ///< (S) i32
};

/// The contents of an AttentionBatch in host memory, dense.
struct HostAttentionBatch {
  std::span<const int32_t> query_start;
  std::span<const int32_t> context_len;
  std::span<const int32_t> block_tables;
  /// The tables of attention() with a sliding window, of the same shape; empty: block_tables.
  std::span<const int32_t> window_tables = {};
};

}  // namespace quire
