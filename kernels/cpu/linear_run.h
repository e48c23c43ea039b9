#pragma once

#include "kernels/cpu/packed_linear.h"

namespace quire::cpu {

/// Some rows times one weight. Without x_chunks they are taken as they lie (LinearRows), else
/// regrouped (LinearBlock); the bits are the same.
struct LinearRun {
  const PackedLinear* weight;
  const float* bias;  ///< (N), or null.
  int64_t num_rows;
  float* out;  ///< (num_rows, N)
  int64_t out_stride;
  const float* x = nullptr;  ///< (num_rows, K)
  int64_t x_stride = 0;
  const float* x_chunks = nullptr;
  int64_t chunk_stride = 0;
};

}  // namespace quire::cpu
