#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/io/weights.h"
#include "engine/quantize/tensor_source.h"
#include "kernels/base/tensor_view.h"

namespace quire {

/// Where a row lies.
struct RowPlace {
  const std::byte* data = nullptr;
  DType dtype = DType::kF32;
};

Error misshapen(const SourceTensor& tensor, const WeightSource& weights);

/// Appends a file's share of the tensor's rows: all of its experts' if it holds (E, N, K), of each
/// those from `first` on. `num_files` files hold equal shares.
void append_rows(ConstTensorView file, const SourceTensor& tensor, int64_t first, int64_t num_files,
                 std::vector<RowPlace>& rows);

/// Orders the rows of each head, whose first `rotary_dim` (0: all) rotate as halves, so that
/// neighbours rotate together: row j of the first half before row j of the second.
template <typename T>
void pair_halves(std::span<T> rows, int head_dim, int rotary_dim) {
  const auto head = static_cast<size_t>(head_dim);
  const auto rotated = static_cast<size_t>(rotary_dim > 0 ? rotary_dim : head_dim);
  for (size_t begin = 0; begin + head <= rows.size(); begin += head) {
    const std::vector<T> halves(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                rows.begin() + static_cast<std::ptrdiff_t>(begin + rotated));
    for (size_t i = 0; i < rotated; ++i) rows[begin + i] = halves[i % 2 * (rotated / 2) + i / 2];
  }
}

std::vector<float> all_floats(ConstTensorView view);

// Readers; those that refer to files check that the files hold what the tensor needs
// (kCorruptFile).
Result<std::unique_ptr<RowReader>> placed_rows(std::vector<RowPlace> rows,
                                               const SourceTensor& tensor);
Result<std::unique_ptr<RowReader>> float_rows(std::vector<float> numbers, int64_t row_size);
/// Of experts (E, K, N): row r of an expert is its column first + r * step.
Result<std::unique_ptr<RowReader>> column_rows(ConstTensorView file, const SourceTensor& tensor,
                                               int64_t first, int64_t step);
/// Of blocks (E, N, K / 32, 16), neighbouring nibbles, and scales (E, N, K / 32).
Result<std::unique_ptr<RowReader>> mxfp4_rows(std::span<const std::byte> blocks,
                                              std::span<const std::byte> scales,
                                              const SourceTensor& tensor, int64_t first,
                                              int64_t step);

}  // namespace quire
