// The scalar variant: the plain definition of every operation. The other variants are tested
// against it, so reductions are in double except in linear, whose order is part of its contract.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/base/dequantize.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/panel_layout.h"
#include "kernels/cpu/scalar/recurrent_scalar.h"
#include "kernels/cpu/scalar/vec_scalar.h"
#include "kernels/cpu/simd/int8_simd.h"

namespace quire::cpu {
namespace {

/// The weights of one column for the inputs [begin, begin + length) of one chunk.
void widen_column(const LinearRows& a, int64_t begin, int64_t length, int column, float* weights) {
  const auto* const chunk =
      static_cast<const char*>(a.panel) + begin / kChunkInputs * a.chunk_bytes;
  alignas(float) std::byte row[kChunkInputs * sizeof(float)];
  unpack_column(row, {a.dtype}, chunk, column, length);
  dequantize_row(a.dtype, row, weights, length);
}

void linear_rows(const LinearRows& a) {
  float weights[kChunkInputs];
  for (int column = 0; column < a.num_columns; ++column) {
    for (int64_t begin = 0; begin < a.num_inputs; begin += kChunkInputs) {
      const int64_t length = std::min<int64_t>(kChunkInputs, a.num_inputs - begin);
      const bool last = begin + length == a.num_inputs;
      widen_column(a, begin, length, column, weights);
      for (int64_t row = 0; row < a.num_rows; ++row) {
        const float* const x = a.x + row * a.x_stride + begin / kChunkInputs * a.x_chunk_stride;
        float sum = 0.0f;
        for (int64_t k = 0; k < length; ++k) sum = std::fma(x[k], weights[k], sum);
        float& total = a.out[row][a.first_output + column];
        total = begin == 0 ? sum : total + sum;
        if (last && a.bias != nullptr) total += a.bias[column];
      }
    }
  }
}

float element(const void* row, DType dtype, int64_t i) {
  if (dtype == DType::kBF16) return bf16_to_f32(static_cast<const uint16_t*>(row)[i]);
  if (dtype == DType::kF16) return f16_to_f32(static_cast<const uint16_t*>(row)[i]);
  return static_cast<const float*>(row)[i];
}

void widen_row(float* out, const void* row, DType dtype, int64_t n, float scale) {
  for (int64_t i = 0; i < n; ++i) out[i] = element(row, dtype, i) * scale;
}

void narrow_row(void* out, DType dtype, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (dtype == DType::kBF16) {
      static_cast<uint16_t*>(out)[i] = f32_to_bf16(x[i]);
    } else if (dtype == DType::kF16) {
      static_cast<uint16_t*>(out)[i] = f32_to_f16(x[i]);
    } else {
      static_cast<float*>(out)[i] = x[i];
    }
  }
}

float narrow_row_i8(int8_t* out, const float* x, int64_t n) {
  float largest = 0.0f;
  bool is_finite = true;
  for (int64_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::fabs(x[i]));
    is_finite = is_finite && std::isfinite(x[i]);
  }
  const float scale = largest / 127.0f;
  for (int64_t i = 0; i < n; ++i) {
    // The quotient can be beyond 127 where the scale is subnormal.
    const float code = scale > 0.0f && is_finite ? std::nearbyint(x[i] / scale) : 0.0f;
    out[i] = static_cast<int8_t>(std::clamp(code, -127.0f, 127.0f));
  }
  return is_finite ? scale : std::numeric_limits<float>::quiet_NaN();
}

void rms_norm_row(float* out, const float* x, const float* weight, int64_t n, float eps) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += double{x[i]} * x[i];
  const auto mean = static_cast<float>(sum / static_cast<double>(n));
  const float inverse = 1.0f / std::sqrt(mean + eps);
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * inverse * weight[i];
}

void layer_norm_row(float* out, const float* x, const float* weight, const float* bias, int64_t n,
                    float eps) {
  double sum = 0.0, squares = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(n) + eps);
  for (int64_t i = 0; i < n; ++i) {
    const double value = (x[i] - mean) * inverse * weight[i];
    out[i] = static_cast<float>(value + (bias != nullptr ? bias[i] : 0.0f));
  }
}

void add_row(float* x, const float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] += y[i];
}

void silu_glu_row(float* out, const float* gate, const float* up, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = gate[i] / (1.0f + std::exp(-gate[i])) * up[i];
}

void gelu_glu_row(float* out, const float* gate, const float* up, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float g = gate[i];
    const float slope = g * (kGeluLinear + kGeluCubic * (g * g));
    out[i] = g / (1.0f + std::exp(-slope)) * up[i];
  }
}

void clamped_swiglu_row(float* out, const float* gate, const float* up, int64_t n, float limit,
                        float alpha) {
  for (int64_t i = 0; i < n; ++i) {
    const float g = std::min(gate[i], limit);
    const float u = std::clamp(up[i], -limit, limit);
    out[i] = g / (1.0f + std::exp(-alpha * g)) * (u + 1.0f);
  }
}

void relu_row(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] < 0.0f ? 0.0f : x[i];
}

void squared_relu_row(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] < 0.0f ? 0.0f : x[i] * x[i];
}

void silu_row(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] / (1.0f + std::exp(-x[i]));
}

void gelu_row(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(x[i] * 0.5 * std::erfc(-double{x[i]} * M_SQRT1_2));
  }
}

void gelu_tanh_row(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    x[i] = x[i] / (1.0f + std::exp(-(x[i] * (kGeluLinear + kGeluCubic * (x[i] * x[i])))));
  }
}

void xielu_row(float* x, int64_t n, float positive, float negative, float beta, float eps) {
  for (int64_t i = 0; i < n; ++i) {
    const double v = x[i];
    const double y =
        v > 0.0 ? positive * v * v : (std::expm1(std::min(v, double{eps})) - v) * negative;
    x[i] = static_cast<float>(y + beta * v);
  }
}

void gate_row(float* x, const float* gate, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] / (1.0f + std::exp(-gate[i * stride]));
}

void soft_cap_row(float* x, int64_t n, float cap) {
  for (int64_t i = 0; i < n; ++i) x[i] = cap * std::tanh(x[i] / cap);
}

void rotate_head(float* x, const float* cos, const float* sin, int64_t half) {
  for (int64_t i = 0; i < half; ++i) {
    const float a = x[i];
    const float b = x[i + half];
    x[i] = a * cos[i] - b * sin[i];
    x[i + half] = b * cos[i] + a * sin[i];
  }
}

/// Element i of a pool of keys or values. block, slot: of the token, for the scale of i8.
float cached(const AttentionTile& t, const void* pool, const float* scales, int64_t block,
             int64_t slot, int64_t i) {
  if (t.dtype == DType::kI8) {
    return scales[block * t.scale_stride + slot] * static_cast<const int8_t*>(pool)[i];
  }
  return element(pool, t.dtype, i);
}

/// Dimension d of the key at that position of the tile's sequence.
float key(const AttentionTile& t, int64_t position, int64_t d) {
  const int64_t block = t.block_table[position / kPageKeys];
  const int64_t slot = position % kPageKeys;
  return cached(t, t.keys, t.key_scales, block, slot,
                block * t.key_page_stride + d * kPageKeys + slot);
}

/// Dimension d of the value at that position.
float value(const AttentionTile& t, int64_t position, int64_t d) {
  const int64_t block = t.block_table[position / kPageKeys];
  const int64_t slot = position % kPageKeys;
  return cached(t, t.values, t.value_scales, block, slot,
                block * t.value_page_stride + slot * t.value_dim + d);
}

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// One query: scores of the keys [begin, end), their softmax, the weighted sum of the values.
/// sink: minus infinity if there is none.
void attend(const AttentionTile& t, const float* q, float* out, int64_t begin, int64_t end,
            float sink) {
  float* const scores = t.scratch;
  float maximum = sink;
  for (int64_t p = begin; p < end; ++p) {
    double dot = 0.0;
    for (int d = 0; d < t.key_dim; ++d) {
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
  for (int d = 0; d < t.value_dim; ++d) {
    double sum = 0.0;
    for (int64_t p = begin; p < end; ++p) {
      sum += double{scores[p - begin]} * value(t, p, d);
    }
    out[d] = total > 0.0 ? static_cast<float>(sum / total) : 0.0f;
  }
}

void attention(const AttentionTile& t) {
  for (int row = 0; row < t.num_rows; ++row) {
    const AttentionRow& r = t.rows[row];
    const int64_t end = r.position + 1;
    for (int64_t g = 0; g < t.group; ++g) {
      const int64_t head = t.head * t.group + g;
      attend(t, r.q + head * t.key_dim, r.out + head * t.value_dim, r.first_key, end,
             t.sinks != nullptr ? t.sinks[g] : kMinusInfinity);
    }
  }
}

}  // namespace

const CpuKernels* scalar_kernels() {
  static constexpr CpuKernels kKernels = {
    .name = "scalar",
#if defined(__x86_64__)
    .label = "scalar code, no AVX2",
#else
    .label = "scalar code",
#endif
    .max_direct_rows = std::numeric_limits<int64_t>::max(),
    .block_rows = kBlockRows,
    .linear_rows = linear_rows,
    .linear_block = nullptr,
    .linear_int8 = linear_int8<VecScalar>,
    .quantize_row = quantize_row<VecScalar>,
    .attention = attention,
    .attention_blocks = nullptr,
    .attention_fold = nullptr,
    .widen_row = widen_row,
    .narrow_row = narrow_row,
    .narrow_row_i8 = narrow_row_i8,
    .rms_norm_row = rms_norm_row,
    .layer_norm_row = layer_norm_row,
    .add_row = add_row,
    .silu_glu_row = silu_glu_row,
    .gelu_glu_row = gelu_glu_row,
    .clamped_swiglu_row = clamped_swiglu_row,
    .relu_row = relu_row,
    .squared_relu_row = squared_relu_row,
    .silu_row = silu_row,
    .gelu_row = gelu_row,
    .gelu_tanh_row = gelu_tanh_row,
    .xielu_row = xielu_row,
    .gate_row = gate_row,
    .soft_cap_row = soft_cap_row,
    .multiply_row = scalar::multiply_row,
    .gated_norm_row = scalar::gated_norm_row,
    .causal_conv = scalar::causal_conv,
    .gated_delta = scalar::gated_delta,
    .mamba2_scan = scalar::mamba2_scan,
    .rotate_head = rotate_head,
  };
  return &kKernels;
}

}  // namespace quire::cpu
