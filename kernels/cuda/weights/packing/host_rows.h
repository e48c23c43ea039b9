#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/tensor_view.h"

namespace quire::cuda {

/// The rows of neighbouring parts of one dtype, one after another, in host memory; they may lie at
/// any address.
class HostRows {
 public:
  /// parts: (N, K), any row strides.
  explicit HostRows(std::span<const ConstTensorView> parts);

  int64_t num_rows() const { return m_num_rows; }

  /// Copies of rows [first, first + count) the bytes [begin, end), without gaps.
  void copy(int64_t first, int64_t count, int64_t begin, int64_t end, uint8_t* to) const;

 private:
  std::span<const ConstTensorView> m_parts;
  std::vector<int64_t> m_first_rows;
  int64_t m_num_rows = 0;
};

}  // namespace quire::cuda
