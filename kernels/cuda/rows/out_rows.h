#pragma once

#include "kernels/base/rounded_rows.h"
#include "kernels/cuda/linear/byte_rows.h"
#include "kernels/cuda/rows/row_access.h"
#include "kernels/cuda/rows/row_format.h"

/// Rows that norms and attention write: f32, or rounded rows for GEMMs, rounded as GEMMs round f32
/// and in the order of linear/inputs.h or linear/byte_rows.h.
namespace quire::cuda {

static_assert(kRoundedRowAlignment == kChunkInputs && kRoundedRowGroup == kGroupInputs);
static_assert(kAlignedRowBytes == kChunkByteVectors * int64_t{sizeof(uint4)});

struct OutRows {
  void* data;
  int64_t row_words;  ///< Of 32 bits, from a row to the next.
  RowFormat format;

  __device__ __forceinline__ float* floats(int64_t row) const {
    return static_cast<float*>(data) + row * row_words;
  }
  /// Pairs of halves, at the places of half_word(), or the vectors of byte_rows.h.
  __device__ __forceinline__ uint32_t* words(int64_t row) const {
    return static_cast<uint32_t*>(data) + row * row_words;
  }
};

/// Checks the layout of rounded rows.
inline OutRows out_rows_of(const TensorView& out) {
  CHECK(out.dtype() == DType::kF32 || (is_rounded_rows(out) && is_aligned_pointer(out.data())));
  return {out.data(), dtype_span_bytes(out.dtype(), out.row_stride()) / int64_t{sizeof(float)},
          row_format(out.dtype())};
}

/// The place of the inputs k and k + 1 of a half row, k even.
__device__ __forceinline__ int half_word(int k) {
  return k / kPairInputs * (kPairInputs / 2) + k % 8 / 2 * 4 + k % kPairInputs / 8;
}

__device__ __forceinline__ uint32_t round_pair(float low, float high, RowFormat format) {
  return format == RowFormat::kF16
             ? pack_halves<Half::kF16>(fit_input<Half::kF16>(low), fit_input<Half::kF16>(high))
             : pack_halves<Half::kBF16>(low, high);
}

/// Element k of a half row.
__device__ __forceinline__ void store_half(void* row, int k, float x, RowFormat format) {
  static_cast<uint16_t*>(row)[2 * half_word(k - k % 2) + k % 2] =
      static_cast<uint16_t>(round_pair(x, 0.0f, format));
}

/// Elements [i, i + 4) of a half row, i a multiple of four.
__device__ __forceinline__ void store_half_group(uint32_t* words, int i, float4 x,
                                                 RowFormat format) {
  constexpr int kWordsOfVector = 4;
  uint32_t* const place = words + half_word(i);
  place[0] = round_pair(x.x, x.y, format);
  place[kWordsOfVector] = round_pair(x.z, x.w, format);
}

/// The 64 inputs of a byte row that input k is of.
__device__ __forceinline__ uint32_t* byte_block(uint32_t* words, int k) {
  return words + k / kByteBlockInputs * (4 * kByteBlockVectors);
}

/// The scale of group k / 32 of a byte row, by one lane. sum: of its codes.
__device__ __forceinline__ void store_byte_scale(uint32_t* words, int k, float scale, int sum) {
  auto* const scales = reinterpret_cast<ByteScales*>(byte_block(words, k) + 4 * kPairVectors);
  scales->groups[k / kGroupInputs % 2] = {scale, scale * static_cast<float>(sum)};
}

/// The sum over 2^kSteps neighbouring lanes, for all lanes of a warp.
template <int kSteps>
__device__ __forceinline__ int sum_of_lanes(int x) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) x += __shfl_xor_sync(kAllLanes, x, 1 << step);
  return x;
}

/// Lane q's part of a group of a byte row, by four lanes.
__device__ __forceinline__ void store_group_of_four(uint32_t* words, int group, int q,
                                                    const GroupCodes& from) {
  auto* const block = reinterpret_cast<uint4*>(byte_block(words, group * kGroupInputs));
  store_group(block, reinterpret_cast<ByteScales*>(block + kPairVectors), group, q, from);
}

/// Element k of a byte row. All lanes of a warp call it with the elements of a group.
__device__ __forceinline__ void store_byte(uint32_t* words, int k, float x) {
  const GroupRounding rounding = group_rounding(largest_of_lanes<5>(larger_size(0, x), kAllLanes));
  const uint32_t code = rounding.code(x);
  const int sum = sum_of_lanes<5>(static_cast<int8_t>(code));
  const int place = k % 8 / 2 * 16 + k % kByteBlockInputs / 16 * 4 + k % 2 * 2 + k % 16 / 8;
  reinterpret_cast<uint8_t*>(byte_block(words, k))[place] = static_cast<uint8_t>(code);
  if (k % kGroupInputs == 0) store_byte_scale(words, k, rounding.scale, sum);
}

/// Elements [i, i + 4) of a byte row, i a multiple of four. All lanes of a warp call it; eight
/// neighbouring ones have a group. A word holds codes of inputs that are 8 apart, so two lanes
/// exchange codes, and each stores one word.
__device__ __forceinline__ void store_byte_group(uint32_t* words, int i, float4 x) {
  constexpr int kStepInputs = 16;
  const uint32_t largest =
      larger_size(larger_size(larger_size(larger_size(0, x.x), x.y), x.z), x.w);
  const GroupRounding rounding = group_rounding(largest_of_lanes<3>(largest, kAllLanes));
  const uint32_t first = __byte_perm(rounding.code(x.x), rounding.code(x.y), 0x0040);
  const uint32_t second = __byte_perm(rounding.code(x.z), rounding.code(x.w), 0x0040);
  const bool is_low = i % kStepInputs < kStepInputs / 2;
  const uint32_t other = __shfl_xor_sync(kAllLanes, is_low ? second : first, 2);
  const uint32_t word = __byte_perm(is_low ? first : other, is_low ? other : second, 0x5140);
  const int sum = sum_of_lanes<3>(add_codes(word, 0));
  const int q = i % (kStepInputs / 2) / 2 + (is_low ? 0 : 1);
  byte_block(words, i)[4 * q + i % kByteBlockInputs / kStepInputs] = word;
  if (i % kGroupInputs == 0) store_byte_scale(words, i, rounding.scale, sum);
}

/// The columns of a row that threads store: those of a rounded row up to the end of its last chunk.
__device__ __forceinline__ int64_t stored_columns(int64_t n, RowFormat format) {
  return format == RowFormat::kF32 ? n : num_chunks_of(n) * kChunkInputs;
}

/// Elements [i, i + 4) of a rounded row of n, i a multiple of four; zeros past n. All lanes of a
/// warp call it for 32 neighbouring groups of four.
__device__ __forceinline__ void store_rounded_group(uint32_t* words, int64_t i, int64_t n, float4 x,
                                                    RowFormat format) {
  if (i >= n) x.x = 0.0f;
  if (i + 1 >= n) x.y = 0.0f;
  if (i + 2 >= n) x.z = 0.0f;
  if (i + 3 >= n) x.w = 0.0f;
  if (format == RowFormat::kI8) return store_byte_group(words, static_cast<int>(i), x);
  store_half_group(words, static_cast<int>(i), x, format);
}

}  // namespace quire::cuda
