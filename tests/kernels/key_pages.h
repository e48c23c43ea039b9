#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "kernels/backend.h"

namespace quire::test {

/// Pages of rows * columns elements, each of `per_element` numbers, turned to columns * rows.
template <typename T>
std::vector<T> transpose_pages(const std::vector<T>& pages, int64_t rows, int64_t columns,
                               int64_t per_element = 1) {
  std::vector<T> turned(pages.size());
  const auto page = static_cast<size_t>(rows * columns * per_element);
  for (size_t first = 0; first < pages.size(); first += page) {
    const T* from = pages.data() + first;
    for (int64_t row = 0; row < rows; ++row) {
      T* const to = turned.data() + first + row * per_element;
      for (int64_t column = 0; column < columns; ++column) {
        std::copy_n(from, per_element, to + column * rows * per_element);
        from += per_element;
      }
    }
  }
  return turned;
}

/// How a device keeps the keys of heads of that many dimensions. Everywhere else tests have them as
/// values: (kBlockSize, dim).
class KeyPages {
 public:
  KeyPages(const Backend& backend, int64_t dim)
      : m_by_dimension(backend.info().keys_by_dimension), m_dim(dim) {}

  template <typename T>
  std::vector<T> to_device(std::vector<T> pages, int64_t per_element = 1) const {
    return m_by_dimension ? transpose_pages(pages, kBlockSize, m_dim, per_element)
                          : std::move(pages);
  }
  template <typename T>
  std::vector<T> from_device(std::vector<T> pages, int64_t per_element = 1) const {
    return m_by_dimension ? transpose_pages(pages, m_dim, kBlockSize, per_element)
                          : std::move(pages);
  }
  bool by_dimension() const { return m_by_dimension; }
  TensorView view(void* pool, DType dtype, int64_t num_blocks, int64_t num_kv_heads) const {
    const int64_t rows = m_by_dimension ? m_dim : kBlockSize;
    const int64_t columns = m_by_dimension ? kBlockSize : m_dim;
    return {pool, dtype, {num_blocks, num_kv_heads, rows, columns}};
  }

 private:
  bool m_by_dimension;
  int64_t m_dim;
};

}  // namespace quire::test
