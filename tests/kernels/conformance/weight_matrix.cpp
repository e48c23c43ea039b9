#include "tests/kernels/conformance/weight_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/base/dequantize.h"

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
  find_coarse();
}

void WeightMatrix::find_coarse() {
  // Rows of quantised types are whole blocks of 32, so groups do not cross them.
  const size_t group = is_quantized(dtype) ? 16 : 1;
  coarse.resize(exact.size());
  for (size_t i = 0; i < exact.size(); i += group) {
    float largest = 0.0f;
    for (size_t j = i; j < i + group; ++j) largest = std::max(largest, std::fabs(exact[j]));
    std::fill_n(coarse.begin() + static_cast<std::ptrdiff_t>(i), group, largest);
  }
}

void WeightMatrix::enlarge_scales() {
  constexpr float kScale = 0x1p20f;
  const auto block_bytes = static_cast<size_t>(dtype_block_bytes(dtype));
  const int64_t row_blocks = columns / dtype_block_elements(dtype);
  const bool is_f32 = dtype == DType::kF8_128 || dtype == DType::kI8_128 || dtype == DType::kNF4_64;
  const uint8_t zeros = dtype == DType::kNF4_64 ? 0x77 : is_f32 ? 0x00 : 0x88;
  for (size_t i = 0; i < bytes.size() / block_bytes; ++i) {
    if (static_cast<int64_t>(i) / row_blocks % 4 != 1) continue;
    uint8_t* const block = &bytes[i * block_bytes];
    if (is_f32) {
      std::memcpy(block, &kScale, sizeof kScale);
    } else {
      const uint16_t bits = f32_to_bf16(kScale);
      std::memcpy(block, &bits, sizeof bits);
      block[2] = 128 | 8;  // The scale is bf16, the zero point 8.
    }
    const size_t first_code = is_f32 ? sizeof kScale : 3;
    if (i % 2 == 0) std::fill(block + first_code, block + block_bytes, zeros);
  }
  dequantize_row(dtype, bytes.data(), exact.data(), rows * columns);
  find_coarse();
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

std::vector<DType> folder_types() {
  return {DType::kI4_32,  DType::kI4_64,  DType::kI4_128,
          DType::kI8_128, DType::kF8_128, DType::kNF4_64};
}

}  // namespace quire::test
