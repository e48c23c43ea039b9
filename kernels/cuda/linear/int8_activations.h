#pragma once

#include "kernels/cuda/linear/inputs.h"

/// Int8 activations, the B operands of m16n8k32 int8 products.
///
/// A group of 32 inputs has a scale, its largest input / 127, by which its inputs are divided and
/// rounded, as on the CPU (kernels/cpu/cpu_kernels.h) and in ggml's Q8_1. A row consists of blocks
/// of 64 inputs, five vectors of 16 bytes: one for each of the four lanes q of a column, then the
/// scales of the block's two groups and their sums. The words of a lane's vector are for four steps
/// of 16 inputs: inputs 2 q, 2 q + 8, 2 q + 1 and 2 q + 9 of each. Rows are padded to whole chunks
/// with zeros.
namespace quire::cuda {

inline constexpr int kGroupInputs = 32;
inline constexpr int kInt8BlockInputs = 64;
inline constexpr int kInt8BlockVectors = 5;
inline constexpr int kChunkInt8Blocks = kChunkInputs / kInt8BlockInputs;
inline constexpr int kChunkInt8Vectors = kChunkInt8Blocks * kInt8BlockVectors;

/// The scale of a group and its scaled sum, stored behind the block's codes.
struct alignas(8) GroupScale {
  float scale;
  float sum;  ///< The scale times the sum of the group's codes.
};
/// The last vector of a block.
struct alignas(16) Int8Scales {
  GroupScale groups[2];
};

/// max(before, bits of |x|). Bits of floats without a sign are ordered as the floats, and NaN's are
/// above all.
__device__ __forceinline__ uint32_t larger_size(uint32_t before, float x) {
  return max(before, __float_as_uint(x) & 0x7fffffffu);
}
/// The largest of 2^kSteps neighbouring lanes, which all call it.
template <int kSteps>
__device__ __forceinline__ uint32_t largest_of_lanes(uint32_t size, unsigned lanes) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    size = max(size, __shfl_xor_sync(lanes, size, 1 << step));
  }
  return size;
}

/// Rounds inputs of a group to codes. A group whose largest input is below 2^-100 becomes zeros.
/// The scale is not finite if an input is not.
struct GroupRounding {
  float scale;
  float inverse;

  /// x as a code, in the lower byte of the result.
  __device__ __forceinline__ uint32_t code(float x) const {
    return __float_as_uint(__fmaf_rn(x, inverse, kOriginNumber));
  }
  /// The codes of the inputs 2 q, 2 q + 1 and 2 q + 8, 2 q + 9 of a step, as a word.
  __device__ __forceinline__ uint32_t word(float2 first, float2 second) const {
    return __byte_perm(__byte_perm(code(first.x), code(second.x), 0x0040),
                       __byte_perm(code(first.y), code(second.y), 0x0040), 0x5410);
  }
};
/// largest: of the group, as larger_size() gives it.
__device__ __forceinline__ GroupRounding group_rounding(uint32_t largest) {
  constexpr uint32_t kTwoToMinus100 = 0x0d800000u;
  if (largest < kTwoToMinus100) return {0.0f, 0.0f};
  const float size = __uint_as_float(largest);
  return {size * (1.0f / 127.0f), __fdiv_rn(127.0f, size)};
}

/// The sum of four signed codes, plus `before`.
__device__ __forceinline__ int add_codes(uint32_t word, int before) {
  return __dp4a(static_cast<int>(word), 0x01010101, before);
}

/// The sum over 2^kSteps neighbouring lanes, for all lanes of `lanes`.
template <int kSteps>
__device__ __forceinline__ int sum_of_lanes(int x, unsigned lanes) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) x += __shfl_xor_sync(lanes, x, 1 << step);
  return x;
}

/// A lane's part of a group: the words of its two steps.
struct GroupCodes {
  uint2 words;
  GroupScale scale;
};

/// Rounds a group, of which four neighbouring lanes of `lanes` have eight inputs each, in the order
/// of load_vector().
__device__ __forceinline__ GroupCodes quantize_group(const float2 (&x)[4], unsigned lanes) {
  uint32_t largest = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) largest = larger_size(larger_size(largest, x[i].x), x[i].y);
  const GroupRounding rounding = group_rounding(largest_of_lanes<2>(largest, lanes));
  GroupCodes group;
  group.words = make_uint2(rounding.word(x[0], x[1]), rounding.word(x[2], x[3]));
  const int sum = sum_of_lanes<2>(add_codes(group.words.y, add_codes(group.words.x, 0)), lanes);
  group.scale = {rounding.scale, rounding.scale * static_cast<float>(sum)};
  return group;
}

/// Stores lane q's part of a group in a block of a row, or of what is staged of it.
__device__ __forceinline__ void store_group(uint4* codes, Int8Scales* scales, int group, int q,
                                            const GroupCodes& from) {
  reinterpret_cast<uint2*>(codes + q)[group % 2] = from.words;
  if (q == 0) scales->groups[group % 2] = from.scale;
}

/// The block of a row that input k is of.
__device__ __forceinline__ uint32_t* int8_block(uint32_t* row, int k) {
  return row + k / kInt8BlockInputs * (4 * kInt8BlockVectors);
}
__device__ __forceinline__ Int8Scales* int8_scales(uint32_t* row, int k) {
  return reinterpret_cast<Int8Scales*>(int8_block(row, k) + 4 * kPairVectors);
}
/// Stores lane q's part of a group in a row.
__device__ __forceinline__ void store_group_in_row(uint32_t* row, int group, int q,
                                                   const GroupCodes& from) {
  const int k = group * kGroupInputs;
  store_group(reinterpret_cast<uint4*>(int8_block(row, k)), int8_scales(row, k), group, q, from);
}

}  // namespace quire::cuda
