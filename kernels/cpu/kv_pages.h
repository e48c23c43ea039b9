#pragma once

#include "kernels/backend.h"
#include "kernels/base/shape_checks.h"

namespace quire::cpu {

/// Whether keys are (B, num_kv_heads, dim, kBlockSize) and values (B, num_kv_heads, kBlockSize,
/// dim) of a dtype that the CPU supports, for i8 with scales.
inline bool has_pages(const KvLayerView& kv, int64_t num_kv_heads, int64_t dim) {
  const int64_t num_blocks = kv.keys.dim(0);
  const std::initializer_list<int64_t> keys = {num_blocks, num_kv_heads, dim, kBlockSize};
  const std::initializer_list<int64_t> values = {num_blocks, num_kv_heads, kBlockSize, dim};
  const std::initializer_list<int64_t> scales = {num_blocks, num_kv_heads, kBlockSize};
  const DType dtype = kv.keys.dtype();
  if (!has_shape(kv.values, dtype, values)) return false;
  if (dtype != DType::kI8) return has_float_shape(kv.keys, keys);
  return has_shape(kv.keys, dtype, keys) && has_shape(kv.key_scales, DType::kF32, scales) &&
         has_shape(kv.value_scales, DType::kF32, scales);
}

}  // namespace quire::cpu
