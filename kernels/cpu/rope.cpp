// rope_cos_sin, rope_and_store and position_scales.

#include <cmath>
#include <cstring>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"

namespace quire::cpu {
namespace {

/// Writes the keys and values of one layer into its pages.
class PageWriter {
 public:
  PageWriter(const CpuKernels& kernels, const KvLayerView& kv)
      : m_kernels(kernels),
        m_kv(kv),
        m_dtype(kv.values.dtype()),
        m_num_kv_heads(kv.values.dim(1)),
        m_key_dim(kv.keys.dim(2)),
        m_value_dim(kv.values.dim(3)) {}

  /// Writes a head of the token in that slot. buffer: scratch for a key's floats.
  void write(int64_t slot, int64_t head, const float* key, const float* value,
             float* buffer) const {
    const int64_t page = slot / kBlockSize * m_num_kv_heads + head;
    const int64_t in_page = slot % kBlockSize;
    const int64_t row = page * kBlockSize + in_page;
    round(address(m_kv.values, row * m_value_dim), m_kv.value_scales, row, value, m_value_dim);
    round(buffer, m_kv.key_scales, row, key, m_key_dim);
    scatter(address(m_kv.keys, page * kBlockSize * m_key_dim + in_page), buffer);
  }

 private:
  char* address(const TensorView& pages, int64_t element) const {
    return static_cast<char*>(pages.data()) + element * dtype_bytes(m_dtype);
  }

  void round(void* to, const TensorView& scales, int64_t row, const float* x, int64_t n) const {
    if (m_dtype == DType::kI8) {
      scales.as<float>()[row] = m_kernels.narrow_row_i8(static_cast<int8_t*>(to), x, n);
    } else {
      m_kernels.narrow_row(to, m_dtype, x, n);
    }
  }

  /// Writes a key's elements to its page, kBlockSize apart.
  void scatter(char* to, const void* numbers) const {
    switch (dtype_bytes(m_dtype)) {
      case 1:
        return scatter_as<uint8_t>(to, numbers);
      case 2:
        return scatter_as<uint16_t>(to, numbers);
      default:
        return scatter_as<uint32_t>(to, numbers);
    }
  }
  template <typename Bits>
  void scatter_as(char* to, const void* numbers) const {
    for (int64_t d = 0; d < m_key_dim; ++d) {
      std::memcpy(to + d * kBlockSize * static_cast<int64_t>(sizeof(Bits)),
                  static_cast<const Bits*>(numbers) + d, sizeof(Bits));
    }
  }

  const CpuKernels& m_kernels;
  const KvLayerView& m_kv;
  DType m_dtype;
  int64_t m_num_kv_heads;
  int64_t m_key_dim;
  int64_t m_value_dim;
};

}  // namespace

void CpuBackend::rope_cos_sin(TensorView cos_sin, ConstTensorView positions,
                              ConstTensorView inv_freq, float scale) {
  const int64_t num_rows = cos_sin.dim(0);
  const int64_t half = inv_freq.dim(0);
  CHECK(have_shape({cos_sin}, {num_rows, 2 * half}) && have_shape({inv_freq}, {half}));
  CHECK(has_shape(positions, DType::kI32, {num_rows}));
  const auto* const frequency = inv_freq.as<float>();
  // Sines and cosines cost some ten times an ordinary element. All variants use the C library's, so
  // that a stored cache is valid for every instruction set.
  for_each_row(num_rows, 20 * half, [&](int64_t row) {
    const auto position = static_cast<float>(positions.as<int32_t>()[row]);
    float* const cosines = cos_sin.row<float>(row);
    float* const sines = cosines + half;
    for (int64_t i = 0; i < half; ++i) {
      const float angle = position * frequency[i];
      cosines[i] = std::cos(angle) * scale;
      sines[i] = std::sin(angle) * scale;
    }
  });
}

void CpuBackend::rope_and_store(TensorView q, TensorView k, ConstTensorView v,
                                ConstTensorView cos_sin, ConstTensorView slots, KvLayerView kv) {
  const int64_t num_rows = q.dim(0);
  const int64_t num_heads = q.dim(1);
  const int64_t dim = q.dim(2);
  const int64_t num_kv_heads = k.dim(1), value_dim = v.dim(2);
  const int64_t half = cos_sin.dim(1) / 2;
  CHECK(have_shape({q}, {num_rows, num_heads, dim}));
  CHECK(have_shape({k}, {num_rows, num_kv_heads, dim}));
  CHECK(have_shape({v}, {num_rows, num_kv_heads, value_dim}));
  CHECK(have_shape({cos_sin}, {num_rows, 2 * half}) && 2 * half <= dim);
  CHECK(slots.empty() || has_shape(slots, DType::kI32, {num_rows}));
  CHECK(num_kv_heads == 0 ||
        (supports_kv(kv.keys.dtype()) && kv.has_shape(num_kv_heads, dim, value_dim, true)));

  const PageWriter pages(m_kernels, kv);
  for (int thread = 0; thread < m_pool.num_threads(); ++thread) {
    thread_scratch(thread, static_cast<size_t>(dim));
  }
  for_each_row(num_rows, (num_heads + 2 * num_kv_heads) * dim, [&](int64_t row, int thread) {
    const float* const cosines = cos_sin.row<float>(row);
    const float* const sines = cosines + half;
    float* const q_row = q.row<float>(row);
    float* const k_row = k.row<float>(row);
    const float* const v_row = v.row<float>(row);
    for (int64_t h = 0; h < num_heads; ++h) {
      m_kernels.rotate_head(q_row + h * dim, cosines, sines, half);
    }
    const int32_t slot = slots.empty() ? -1 : slots.as<int32_t>()[row];
    CHECK(slot >= -1 && slot < kv.keys.dim(0) * kBlockSize);
    for (int64_t h = 0; h < num_kv_heads; ++h) {
      m_kernels.rotate_head(k_row + h * dim, cosines, sines, half);
      if (slot < 0) continue;
      pages.write(slot, h, k_row + h * dim, v_row + h * value_dim,
                  thread_scratch(thread, static_cast<size_t>(dim)));
    }
  });
}

void CpuBackend::position_scales(TensorView out, ConstTensorView positions,
                                 const PositionScale& params) {
  const int64_t num_rows = out.dim(0);
  CHECK(have_shape({out}, {num_rows, 1}) && has_shape(positions, DType::kI32, {num_rows}));
  CHECK(params.interval > 0);
  for (int64_t row = 0; row < num_rows; ++row) {
    const int64_t passed = int64_t{positions.as<int32_t>()[row]} + params.offset;
    const auto intervals = static_cast<float>(passed / params.interval);
    *out.row<float>(row) = 1.0f + params.beta * std::log1p(intervals);
  }
}

}  // namespace quire::cpu
