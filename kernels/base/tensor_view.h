#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "kernels/base/check.h"
#include "kernels/base/dtype.h"

namespace quire {

/// A non-owning, row-major view of a tensor in a backend's memory: a pointer, a dtype, a shape.
///
/// All dimensions but the first are dense; `row_stride` is the distance in elements between
/// consecutive indices of the first, so that a view can be some columns of a wider tensor.
///
/// Legend of shape letters, used by every docstring: T tokens (rows of a batch), S sequences,
/// H heads, Hkv KV heads, D head_dim, Dv that of values, C hidden_size, F intermediate_size, V
/// vocabulary, B blocks, N and K the outputs and inputs of a linear layer.
template <typename Void>
class BasicTensorView {
 public:
  static constexpr int kMaxRank = 4;

  BasicTensorView() = default;
  BasicTensorView(Void* data, DType dtype, std::initializer_list<int64_t> shape)
      : m_data(data), m_dtype(dtype), m_rank(static_cast<int>(shape.size())) {
    CHECK(m_rank <= kMaxRank);
    int i = 0;
    for (int64_t n : shape) m_shape[i++] = n;
    m_row_stride = 1;
    for (int d = 1; d < m_rank; ++d) m_row_stride *= m_shape[d];
  }
  /// Mutable views convert to const ones.
  template <typename Other>
  requires(std::is_const_v<Void> && !std::is_const_v<Other>)
      BasicTensorView(const BasicTensorView<Other>& other)
      : m_data(other.data()), m_dtype(other.dtype()), m_rank(other.rank()) {
    for (int d = 0; d < m_rank; ++d) m_shape[d] = other.dim(d);
    m_row_stride = other.row_stride();
  }

  Void* data() const { return m_data; }
  DType dtype() const { return m_dtype; }
  int rank() const { return m_rank; }
  int64_t dim(int d) const {
    CHECK(d >= 0 && d < m_rank);
    return m_shape[d];
  }
  int64_t row_stride() const { return m_row_stride; }
  bool empty() const { return m_data == nullptr; }
  int64_t num_elements() const {
    int64_t n = 1;
    for (int d = 0; d < m_rank; ++d) n *= m_shape[d];
    return n;
  }

  /// The data as T; the dtype must be T's (u16 for f16 and bf16).
  template <typename T>
  std::conditional_t<std::is_const_v<Void>, const T*, T*> as() const {
    CHECK(dtype_bytes(m_dtype) == static_cast<int64_t>(sizeof(T)));
    return static_cast<std::conditional_t<std::is_const_v<Void>, const T*, T*>>(m_data);
  }

  /// Row i of the first dimension, as as().
  template <typename T>
  std::conditional_t<std::is_const_v<Void>, const T*, T*> row(int64_t i) const {
    return as<T>() + i * m_row_stride;
  }

  /// The same view of other memory.
  BasicTensorView at(Void* data) const {
    BasicTensorView view = *this;
    view.m_data = data;
    return view;
  }

  /// Rows [begin, begin + count) of the first dimension.
  BasicTensorView rows(int64_t begin, int64_t count) const {
    CHECK(m_rank >= 1 && begin >= 0 && count >= 0 && begin + count <= m_shape[0]);
    BasicTensorView view = *this;
    view.m_data = offset_bytes(dtype_span_bytes(m_dtype, begin * m_row_stride));
    view.m_shape[0] = count;
    return view;
  }
  /// Columns [begin, begin + count) of a rank-2 tensor.
  BasicTensorView columns(int64_t begin, int64_t count) const {
    CHECK(m_rank == 2 && begin >= 0 && count >= 0 && begin + count <= m_shape[1]);
    BasicTensorView view = *this;
    view.m_data = offset_bytes(dtype_span_bytes(m_dtype, begin));
    view.m_shape[1] = count;
    return view;
  }
  /// A vector (C) as (count, C), every row the same memory: of operands that are only read.
  BasicTensorView repeated(int64_t count) const {
    CHECK(m_rank == 1 && count >= 0);
    BasicTensorView view = *this;
    view.m_rank = 2;
    view.m_shape[0] = count;
    view.m_shape[1] = m_shape[0];
    view.m_row_stride = 0;
    return view;
  }
  /// The columns of a rank-2 tensor in groups of `size`: (T, H * D) as (T, H, D), same row stride.
  BasicTensorView split_columns(int64_t size) const {
    CHECK(m_rank == 2 && size > 0 && m_shape[1] % size == 0);
    BasicTensorView view = *this;
    view.m_rank = 3;
    view.m_shape[1] = m_shape[1] / size;
    view.m_shape[2] = size;
    return view;
  }

 private:
  Void* offset_bytes(int64_t bytes) const {
    using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
    return static_cast<Byte*>(m_data) + bytes;
  }

  Void* m_data = nullptr;
  DType m_dtype = DType::kF32;
  int m_rank = 0;
  std::array<int64_t, kMaxRank> m_shape{};
  int64_t m_row_stride = 0;
};

using TensorView = BasicTensorView<void>;
using ConstTensorView = BasicTensorView<const void>;

}  // namespace quire
