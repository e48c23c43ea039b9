#include <algorithm>
#include <cmath>

#include "kernels/cpu/scalar/kernels_scalar.h"

namespace quire::cpu::scalar {
namespace {

float weight_at(const LinearRows& a, int64_t k, int column) {
  const int64_t i = k * kPanelColumns + column;
  if (a.dtype == DType::kBF16) return bf16_to_f32(static_cast<const uint16_t*>(a.panel)[i]);
  if (a.dtype == DType::kF16) return f16_to_f32(static_cast<const uint16_t*>(a.panel)[i]);
  return static_cast<const float*>(a.panel)[i];
}

}  // namespace

void linear_rows(const LinearRows& a) {
  for (int64_t row = 0; row < a.num_rows; ++row) {
    const float* const x = a.x + row * a.x_stride;
    for (int column = 0; column < a.num_columns; ++column) {
      float total = 0.0f;
      for (int64_t begin = 0; begin < a.num_inputs; begin += kChunkInputs) {
        const int64_t end = std::min(begin + kChunkInputs, a.num_inputs);
        float sum = 0.0f;
        for (int64_t k = begin; k < end; ++k) sum = std::fma(x[k], weight_at(a, k, column), sum);
        total = begin == 0 ? sum : total + sum;
      }
      if (a.bias != nullptr) total += a.bias[column];
      a.out[row * a.out_stride + column] = total;
    }
  }
}

}  // namespace quire::cpu::scalar
