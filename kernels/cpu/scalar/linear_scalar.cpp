#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/base/dequantize.h"
#include "kernels/cpu/panel_layout.h"
#include "kernels/cpu/scalar/kernels_scalar.h"

namespace quire::cpu::scalar {
namespace {

/// The weights of one column for the inputs [begin, begin + length), a chunk's.
void widen_column(const LinearRows& a, int64_t begin, int64_t length, int column, float* weights) {
  const auto* const chunk =
      static_cast<const char*>(a.panel) + begin / kChunkInputs * a.chunk_bytes;
  alignas(float) std::byte row[kChunkInputs * sizeof(float)];
  unpack_column(row, {a.dtype}, chunk, column, length);
  dequantize_row(a.dtype, row, weights, length);
}

}  // namespace

void linear_rows(const LinearRows& a) {
  float weights[kChunkInputs];
  for (int column = 0; column < a.num_columns; ++column) {
    for (int64_t begin = 0; begin < a.num_inputs; begin += kChunkInputs) {
      const int64_t length = std::min<int64_t>(kChunkInputs, a.num_inputs - begin);
      const bool last = begin + length == a.num_inputs;
      widen_column(a, begin, length, column, weights);
      for (int64_t row = 0; row < a.num_rows; ++row) {
        const float* const x = a.x + row * a.x_stride + begin / kChunkInputs * a.x_chunk_stride;
        float sum = 0.0f;
        for (int64_t k = 0; k < length; ++k) sum = std::fma(x[k], weights[k], sum);
        float& total = a.out[row][a.first_output + column];
        total = begin == 0 ? sum : total + sum;
        if (last && a.bias != nullptr) total += a.bias[column];
      }
    }
  }
}

}  // namespace quire::cpu::scalar
