#include "kernels/cuda/weights/packing/host_rows.h"

#include <algorithm>
#include <cstring>

namespace quire::cuda {

HostRows::HostRows(std::span<const ConstTensorView> parts) : m_parts(parts) {
  for (const ConstTensorView& part : parts) {
    m_first_rows.push_back(m_num_rows);
    m_num_rows += part.dim(0);
  }
}

void HostRows::copy(int64_t first, int64_t count, int64_t begin, int64_t end, uint8_t* to) const {
  const int64_t bytes = end - begin;
  auto part = static_cast<size_t>(
      std::upper_bound(m_first_rows.begin(), m_first_rows.end(), first) - m_first_rows.begin() - 1);
  for (int64_t done = 0; done < count; ++part) {
    const ConstTensorView& from = m_parts[part];
    if (from.dim(0) == 0) continue;  // It may have no memory.
    const int64_t row = first + done - m_first_rows[part];
    const int64_t rows = std::min(count - done, from.dim(0) - row);
    const int64_t stride = dtype_span_bytes(from.dtype(), from.row_stride());
    const auto* source = static_cast<const uint8_t*>(from.data()) + row * stride + begin;
    if (stride == bytes) {
      std::memcpy(to, source, static_cast<size_t>(rows * bytes));
      to += rows * bytes;
    } else {
      for (int64_t i = 0; i < rows; ++i, source += stride, to += bytes) {
        std::memcpy(to, source, static_cast<size_t>(bytes));
      }
    }
    done += rows;
  }
}

}  // namespace quire::cuda
