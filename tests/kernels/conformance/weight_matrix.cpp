#include "tests/kernels/conformance/weight_matrix.h"

#include <algorithm>
#include <cmath>

namespace quire::test {

WeightMatrix::WeightMatrix(DType type, int64_t num_rows, int64_t num_columns, uint32_t seed)
    : dtype(type), rows(num_rows), columns(num_columns) {
  if (is_quantized(type)) {
    QuantizedNumbers numbers(type, rows, columns, seed);
    bytes = std::move(numbers.blocks);
    exact = std::move(numbers.exact);
  } else {
    TypedNumbers numbers = in_dtype(type, Numbers(seed).floats(rows * columns));
    const auto* const begin = static_cast<const uint8_t*>(numbers.data());
    bytes.assign(begin, begin + dtype_span_bytes(type, rows * columns));
    exact = std::move(numbers.exact);
  }
  // Rows of quantised types are whole blocks of 32, so groups do not cross them.
  const size_t group = is_quantized(type) ? 16 : 1;
  coarse.resize(exact.size());
  for (size_t i = 0; i < exact.size(); i += group) {
    float largest = 0.0f;
    for (size_t j = i; j < i + group; ++j) largest = std::max(largest, std::fabs(exact[j]));
    std::fill_n(coarse.begin() + static_cast<std::ptrdiff_t>(i), group, largest);
  }
}

std::unique_ptr<LinearWeight> WeightMatrix::pack(Device& device) const {
  const ConstTensorView part = view();
  return device.pack(std::span(&part, 1));
}

std::vector<DType> weight_types() {
  std::vector<DType> types = quantized_types();
  types.insert(types.begin(), {DType::kF32, DType::kF16, DType::kBF16});
  return types;
}

}  // namespace quire::test
