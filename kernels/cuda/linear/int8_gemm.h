#pragma once

#include "kernels/cuda/device/tensor_core.h"
#include "kernels/cuda/linear/int8_activations.h"
#include "kernels/cuda/weights/formats/formats.h"

/// Quantised weights times int8 activations.
///
/// The products of a part of a weight (16 or 32 inputs with one step) are added as integers, which
/// is exact. Then total += (sum * step) * scale, and total += minimum * (scale * sum of the group's
/// codes) if there are minima, in f32 by fused multiply-adds, parts ascending.
namespace quire::cuda {

/// Whether the inputs are times kF16InputScale.
template <typename Format>
inline constexpr bool kHasScaledInputs = !Int8GemmFormat<Format> && Format::kHalf == Half::kF16;

/// What the integer sums of a fragment begin with: kOriginBits.
struct SumOrigin {
  uint32_t bits[4];

  /// Adding row_floats >> 32, which is zero, hides the constant from the compiler: it would fill
  /// four registers with it for each product.
  __device__ __forceinline__ explicit SumOrigin(const GemmTask& gemm) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      bits[i] = kOriginBits + static_cast<uint32_t>(gemm.row_floats >> (32 + i));
    }
  }
};

/// The inputs of a group of 32 in a lane: its words of B, and what its two columns of D are
/// multiplied with.
struct Int8Inputs {
  uint2 words;
  GroupScale columns[2];
};

/// The weights of 16 outputs times a group of 32 inputs that a lane holds; x: row g, y: row g + 8.
template <Int8GemmFormat Format>
struct Int8Weights {
  static constexpr int kParts = kGroupInputs / Format::kPartInputs;

  uint32_t codes[2][2];  ///< By step, then row: g and g + 8.
  float2 steps[kParts];
  float2 origins[kParts];  ///< -kOriginNumber times the steps.
  float2 minima;

  __device__ __forceinline__ void take(const typename Format::Unit& unit, int group,
                                       const SumOrigin& origin) {
#pragma unroll
    for (int step = 0; step < 2; ++step) Format::int8_codes(unit, 2 * group + step, codes[step]);
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      steps[part] = Format::steps(unit, kParts * group + part, origin.bits[0]);
      origins[part] = make_float2(steps[part].x * -kOriginNumber, steps[part].y * -kOriginNumber);
    }
    if constexpr (Format::kHasMinima) {
      static_assert(kParts == 1);
      minima = Format::minima(unit, group, origin.bits[0]);
    }
  }

  /// sums += these times x.
  __device__ __forceinline__ void multiply(float (&sums)[4], const Int8Inputs& x,
                                           const SumOrigin& origin) const {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      uint32_t products[4];
      if constexpr (kParts == 1) {
        mma_s8_m16n8k32(products, {codes[0][0], codes[0][1], codes[1][0], codes[1][1]},
                        {x.words.x, x.words.y}, origin.bits);
      } else {
        mma_s8_m16n8k16(products, codes[part][0], codes[part][1], part == 0 ? x.words.x : x.words.y,
                        origin.bits);
      }
      add(sums, products, part, x);
    }
    if constexpr (Format::kHasMinima) add_minima(sums, x);
  }

 private:
  /// A step has at most 19 bits (an f16 times a scale of 8 bits), so that kOriginNumber times a
  /// step is exact, and the first result is the sum times the step, rounded once.
  __device__ __forceinline__ void add(float (&sums)[4], const uint32_t (&products)[4], int part,
                                      const Int8Inputs& x) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float step = i < 2 ? steps[part].x : steps[part].y;
      const float origin = i < 2 ? origins[part].x : origins[part].y;
      const float scaled = __fmaf_rn(__uint_as_float(products[i]), step, origin);
      sums[i] = __fmaf_rn(scaled, x.columns[i % 2].scale, sums[i]);
    }
  }
  __device__ __forceinline__ void add_minima(float (&sums)[4], const Int8Inputs& x) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sums[i] = __fmaf_rn(i < 2 ? minima.x : minima.y, x.columns[i % 2].sum, sums[i]);
    }
  }
};

}  // namespace quire::cuda
