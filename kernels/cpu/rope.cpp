// rope_cos_sin and rope_and_store.

#include <cmath>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/kv_pages.h"
#include "kernels/cpu/parallel_rows.h"

namespace quire::cpu {
namespace {

/// Writes the keys or the values of one layer into its pages.
class PageWriter {
 public:
  PageWriter(const CpuKernels& kernels, TensorView pages, TensorView scales)
      : m_kernels(kernels),
        m_pool(static_cast<char*>(pages.data())),
        m_scales(static_cast<float*>(scales.data())),
        m_dtype(pages.dtype()),
        m_num_kv_heads(pages.dim(1)),
        m_head_dim(pages.dim(3)) {}

  /// x: head `head` of the token in that slot.
  void write(int64_t slot, int64_t head, const float* x) const {
    const int64_t block = slot / kBlockSize;
    const int64_t row = (block * m_num_kv_heads + head) * kBlockSize + slot % kBlockSize;
    char* const to = m_pool + row * m_head_dim * dtype_bytes(m_dtype);
    if (m_dtype == DType::kI8) {
      m_scales[row] = m_kernels.narrow_row_i8(reinterpret_cast<int8_t*>(to), x, m_head_dim);
    } else {
      m_kernels.narrow_row(to, m_dtype, x, m_head_dim);
    }
  }

 private:
  const CpuKernels& m_kernels;
  char* m_pool;
  float* m_scales;  ///< Of i8; else null.
  DType m_dtype;
  int64_t m_num_kv_heads;
  int64_t m_head_dim;
};

}  // namespace

void CpuBackend::rope_cos_sin(TensorView cos_sin, ConstTensorView positions,
                              ConstTensorView inv_freq, float scale) {
  CHECK(cos_sin.rank() == 2 && inv_freq.rank() == 1);
  const int64_t num_rows = cos_sin.dim(0);
  const int64_t half = inv_freq.dim(0);
  CHECK(has_shape(cos_sin, DType::kF32, {num_rows, 2 * half}));
  CHECK(has_shape(positions, DType::kI32, {num_rows}));
  CHECK(has_shape(inv_freq, DType::kF32, {half}));
  float* const to = cos_sin.as<float>();
  const auto* const position = positions.as<int32_t>();
  const auto* const frequency = inv_freq.as<float>();
  // Sines and cosines cost some ten times an ordinary element. The C library's are used by every
  // variant, so that a cache written under one instruction set is valid under another.
  for_each_row(num_rows, 20 * half, [&](int64_t row) {
    float* const cosines = to + row * cos_sin.row_stride();
    float* const sines = cosines + half;
    for (int64_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(position[row]) * frequency[i];
      cosines[i] = std::cos(angle) * scale;
      sines[i] = std::sin(angle) * scale;
    }
  });
}

void CpuBackend::rope_and_store(TensorView q, TensorView k, ConstTensorView v,
                                ConstTensorView cos_sin, ConstTensorView slots, KvLayerView kv) {
  CHECK(q.rank() == 3 && k.rank() == 3 && cos_sin.rank() == 2 && kv.keys.rank() == 4);
  const int64_t num_rows = q.dim(0);
  const int64_t num_heads = q.dim(1);
  const int64_t dim = q.dim(2);
  const int64_t num_kv_heads = k.dim(1);
  const int64_t half = cos_sin.dim(1) / 2;
  const int64_t num_blocks = kv.keys.dim(0);
  CHECK(has_shape(q, DType::kF32, {num_rows, num_heads, dim}));
  CHECK(has_shape(k, DType::kF32, {num_rows, num_kv_heads, dim}));
  CHECK(has_shape(v, DType::kF32, {num_rows, num_kv_heads, dim}));
  CHECK(has_shape(cos_sin, DType::kF32, {num_rows, 2 * half}) && 2 * half <= dim);
  CHECK(has_shape(slots, DType::kI32, {num_rows}));
  CHECK(has_pages(kv, num_kv_heads, dim));

  const PageWriter keys(m_kernels, kv.keys, kv.key_scales);
  const PageWriter values(m_kernels, kv.values, kv.value_scales);
  float* const q_rows = q.as<float>();
  float* const k_rows = k.as<float>();
  const auto* const v_rows = v.as<float>();
  const auto* const rotations = cos_sin.as<float>();
  const auto* const slot = slots.as<int32_t>();
  for_each_row(num_rows, (num_heads + 2 * num_kv_heads) * dim, [&](int64_t row) {
    const float* const cosines = rotations + row * cos_sin.row_stride();
    const float* const sines = cosines + half;
    float* const q_row = q_rows + row * q.row_stride();
    float* const k_row = k_rows + row * k.row_stride();
    const float* const v_row = v_rows + row * v.row_stride();
    for (int64_t h = 0; h < num_heads; ++h) {
      m_kernels.rotate_head(q_row + h * dim, cosines, sines, half);
    }
    CHECK(slot[row] >= -1 && slot[row] < num_blocks * kBlockSize);
    for (int64_t h = 0; h < num_kv_heads; ++h) {
      m_kernels.rotate_head(k_row + h * dim, cosines, sines, half);
      if (slot[row] < 0) continue;
      keys.write(slot[row], h, k_row + h * dim);
      values.write(slot[row], h, v_row + h * dim);
    }
  });
}

}  // namespace quire::cpu
