#pragma once

#include "kernels/cuda/device/numeric.h"
#include "kernels/cuda/sampling/sample_task.h"

namespace quire::cuda {

/// The engine's exp_nonpositive (kernels/base/softmax_weight.h), bit for bit: products and sums
/// use intrinsics that round, because nvcc would fuse them.
__device__ __forceinline__ float exp_nonpositive(float x) {
  const float shifted = __fadd_rn(__fmul_rn(x, 1.44269504f), kOriginNumber);
  const float n = __fsub_rn(shifted, kOriginNumber);
  const float r = __fsub_rn(__fsub_rn(x, __fmul_rn(n, 0.693359375f)),  //
                            __fmul_rn(n, -2.12194440e-4f));
  float poly = 1.9875691500e-4f;
  poly = __fadd_rn(__fmul_rn(poly, r), 1.3981999507e-3f);
  poly = __fadd_rn(__fmul_rn(poly, r), 8.3334519073e-3f);
  poly = __fadd_rn(__fmul_rn(poly, r), 4.1665795894e-2f);
  poly = __fadd_rn(__fmul_rn(poly, r), 1.6666665459e-1f);
  poly = __fadd_rn(__fmul_rn(poly, r), 5.0000001201e-1f);
  poly = __fadd_rn(__fadd_rn(__fmul_rn(__fmul_rn(poly, r), r), r), 1.0f);
  const uint32_t exponent = __float_as_uint(shifted) << 23;
  return x >= -87.0f ? __uint_as_float(__float_as_uint(poly) + exponent) : 0.0f;
}

/// The engine's SoftmaxWeight: a token's probability times a constant, 1 for the likeliest.
struct SoftmaxWeight {
  float max;
  float inverse_temperature;

  /// How far a logit is below the largest, negative.
  __device__ __forceinline__ float exponent(float logit) const {
    return __fmul_rn(__fsub_rn(logit, max), inverse_temperature);
  }
  __device__ __forceinline__ float operator()(float logit) const {
    return exp_nonpositive(exponent(logit));
  }
};

/// The largest logit of a row, computed by each warp: +inf if any is unsound, -inf if all are
/// masked.
__device__ __forceinline__ float row_max(const SampleTask& task, int row) {
  const float* const maxima = task.tile_max + int64_t{row} * task.num_tiles;
  float largest = -INFINITY;
  for (int i = lane_index(); i < task.num_tiles; i += kWarpSize) {
    largest = fmaxf(largest, maxima[i]);
  }
  return warp_max(largest);
}

__device__ __forceinline__ bool is_sound(float largest) {
  return largest < INFINITY && largest > -INFINITY;
}

}  // namespace quire::cuda
