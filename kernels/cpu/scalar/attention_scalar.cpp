#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/scalar/kernels_scalar.h"

namespace quire::cpu::scalar {
namespace {

/// Element i of a pool, where slot `slot` of that block is.
float cached(const AttentionTile& t, const void* pool, const float* scales, int64_t block,
             int64_t slot, int64_t i) {
  if (t.dtype == DType::kI8) {
    return scales[block * t.scale_stride + slot] * static_cast<const int8_t*>(pool)[i];
  }
  if (t.dtype == DType::kBF16) return bf16_to_f32(static_cast<const uint16_t*>(pool)[i]);
  if (t.dtype == DType::kF16) return f16_to_f32(static_cast<const uint16_t*>(pool)[i]);
  return static_cast<const float*>(pool)[i];
}

/// Dimension d of the key at that position of the tile's sequence.
float key(const AttentionTile& t, int64_t position, int64_t d) {
  const int64_t block = t.block_table[position / kPageKeys];
  const int64_t slot = position % kPageKeys;
  return cached(t, t.keys, t.key_scales, block, slot, block * t.page_stride + d * kPageKeys + slot);
}

/// As key().
float value(const AttentionTile& t, int64_t position, int64_t d) {
  const int64_t block = t.block_table[position / kPageKeys];
  const int64_t slot = position % kPageKeys;
  return cached(t, t.values, t.value_scales, block, slot,
                block * t.page_stride + slot * t.head_dim + d);
}

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// One query: scores of the keys [begin, end), their softmax, the weighted sum of the values. A
/// sink of minus infinity is none.
void attend(const AttentionTile& t, const float* q, float* out, int64_t begin, int64_t end,
            float sink) {
  float* const scores = t.scratch;
  float maximum = sink;
  for (int64_t p = begin; p < end; ++p) {
    double dot = 0.0;
    for (int d = 0; d < t.head_dim; ++d) {
      dot += double{q[d]} * key(t, p, d);
    }
    float score = static_cast<float>(dot) * t.scale;
    if (t.soft_cap > 0.0f) score = t.soft_cap * std::tanh(score / t.soft_cap);
    scores[p - begin] = score;
    maximum = std::max(maximum, score);
  }
  if (maximum == kMinusInfinity) maximum = 0.0f;
  double total = std::exp(sink - maximum);
  for (int64_t p = begin; p < end; ++p) {
    scores[p - begin] = std::exp(scores[p - begin] - maximum);
    total += scores[p - begin];
  }
  for (int d = 0; d < t.head_dim; ++d) {
    double sum = 0.0;
    for (int64_t p = begin; p < end; ++p) {
      sum += double{scores[p - begin]} * value(t, p, d);
    }
    out[d] = total > 0.0 ? static_cast<float>(sum / total) : 0.0f;
  }
}

}  // namespace

void attention(const AttentionTile& t) {
  for (int row = 0; row < t.num_rows; ++row) {
    const AttentionRow& r = t.rows[row];
    const int64_t end = r.position + 1;
    const int64_t begin =
        t.sliding_window > 0 ? std::max<int64_t>(0, end - t.sliding_window) : int64_t{0};
    for (int64_t g = 0; g < t.group; ++g) {
      const int64_t offset = (t.head * t.group + g) * t.head_dim;
      attend(t, r.q + offset, r.out + offset, begin, end,
             t.sinks != nullptr ? t.sinks[g] : kMinusInfinity);
    }
  }
}

}  // namespace quire::cpu::scalar
