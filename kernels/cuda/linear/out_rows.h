#pragma once

#include "kernels/base/quantized_activations.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/int8_activations.h"
#include "kernels/cuda/linear/row_format.h"

/// Rows that norms, GLUs, attention and GEMMs write: f32, or quantised activations for GEMMs,
/// rounded as GEMMs round f32 and in the order of linear/inputs.h or linear/int8_activations.h.
namespace quire::cuda {

static_assert(kQuantizedRowAlignment == kChunkInputs && kQuantizedRowGroup == kGroupInputs);
static_assert(kAlignedRowBytes == kChunkInt8Vectors * int64_t{sizeof(uint4)});

struct OutRows {
  void* data;
  int64_t row_words;  ///< Of 32 bits, from a row to the next.
  RowFormat format;

  __device__ __forceinline__ float* floats(int64_t row) const {
    return static_cast<float*>(data) + row * row_words;
  }
  /// Pairs of halves, at the places of half_word(), or the vectors of int8_activations.h.
  __device__ __forceinline__ uint32_t* words(int64_t row) const {
    return static_cast<uint32_t*>(data) + row * row_words;
  }
};

/// Checks the layout of quantised activations.
inline OutRows out_rows_of(const TensorView& out) {
  CHECK(out.dtype() == DType::kF32 ||
        (is_quantized_activations(out) && is_aligned_pointer(out.data())));
  return {out.data(), dtype_span_bytes(out.dtype(), out.row_stride()) / int64_t{sizeof(float)},
          row_format(out.dtype())};
}

/// The place of the inputs k and k + 1 of a row of halves, k even.
__device__ __forceinline__ int half_word(int k) {
  return k / kPairInputs * (kPairInputs / 2) + k % 8 / 2 * 4 + k % kPairInputs / 8;
}

__device__ __forceinline__ uint32_t round_pair(float low, float high, RowFormat format) {
  return format == RowFormat::kF16
             ? pack_halves<Half::kF16>(fit_input<Half::kF16>(low), fit_input<Half::kF16>(high))
             : pack_halves<Half::kBF16>(low, high);
}

/// Element k of a row of halves.
__device__ __forceinline__ void store_half(void* row, int k, float x, RowFormat format) {
  static_cast<uint16_t*>(row)[2 * half_word(k - k % 2) + k % 2] =
      static_cast<uint16_t>(round_pair(x, 0.0f, format));
}

/// Elements [i, i + 4) of a row of halves, i a multiple of four.
__device__ __forceinline__ void store_half_group(uint32_t* words, int i, float4 x,
                                                 RowFormat format) {
  constexpr int kWordsOfVector = 4;
  uint32_t* const place = words + half_word(i);
  place[0] = round_pair(x.x, x.y, format);
  place[kWordsOfVector] = round_pair(x.z, x.w, format);
}

/// The scale of group k / 32 of an int8 row, by one lane. sum: of its codes.
__device__ __forceinline__ void store_group_scale(uint32_t* words, int k, float scale, int sum) {
  int8_scales(words, k)->groups[k / kGroupInputs % 2] = {scale, scale * static_cast<float>(sum)};
}

/// Element k of an int8 row. All lanes of a warp call it with the elements of a group.
__device__ __forceinline__ void store_int8(uint32_t* words, int k, float x) {
  const GroupRounding rounding = group_rounding(largest_of_lanes<5>(larger_size(0, x), kAllLanes));
  const uint32_t code = rounding.code(x);
  const int sum = sum_of_lanes<5>(static_cast<int8_t>(code), kAllLanes);
  const int place = k % 8 / 2 * 16 + k % kInt8BlockInputs / 16 * 4 + k % 2 * 2 + k % 16 / 8;
  reinterpret_cast<uint8_t*>(int8_block(words, k))[place] = static_cast<uint8_t>(code);
  if (k % kGroupInputs == 0) store_group_scale(words, k, rounding.scale, sum);
}

/// Elements [i, i + 4) of an int8 row, i a multiple of four. All lanes of a warp call it; eight
/// neighbouring ones have a group. A word holds codes of inputs that are 8 apart, so two lanes
/// exchange codes, and each stores one word.
__device__ __forceinline__ void store_int8_group(uint32_t* words, int i, float4 x) {
  constexpr int kStepInputs = 16;
  const uint32_t largest =
      larger_size(larger_size(larger_size(larger_size(0, x.x), x.y), x.z), x.w);
  const GroupRounding rounding = group_rounding(largest_of_lanes<3>(largest, kAllLanes));
  const uint32_t first = __byte_perm(rounding.code(x.x), rounding.code(x.y), 0x0040);
  const uint32_t second = __byte_perm(rounding.code(x.z), rounding.code(x.w), 0x0040);
  const bool is_low = i % kStepInputs < kStepInputs / 2;
  const uint32_t other = __shfl_xor_sync(kAllLanes, is_low ? second : first, 2);
  const uint32_t word = __byte_perm(is_low ? first : other, is_low ? other : second, 0x5140);
  const int sum = sum_of_lanes<3>(add_codes(word, 0), kAllLanes);
  const int q = i % (kStepInputs / 2) / 2 + (is_low ? 0 : 1);
  int8_block(words, i)[4 * q + i % kInt8BlockInputs / kStepInputs] = word;
  if (i % kGroupInputs == 0) store_group_scale(words, i, rounding.scale, sum);
}

/// Vector `index` of a quantised row, in halves or in int8 (inputs.h), if `stores`. All lanes of a
/// warp call it with consecutive vectors of one or several rows, a group's four in four lanes.
__device__ __forceinline__ void store_vector(uint32_t* words, int index, const float2 (&x)[4],
                                             RowFormat format, bool stores) {
  if (format == RowFormat::kI8) {
    const GroupCodes group = quantize_group(x, kAllLanes);
    if (stores) store_group_in_row(words, index / kPairVectors, index % kPairVectors, group);
  } else if (stores) {
    reinterpret_cast<uint4*>(words)[index] =
        format == RowFormat::kF16 ? round_vector<Half::kF16>(x) : round_vector<Half::kBF16>(x);
  }
}

/// The columns of a row that threads store: those of a quantised row up to the end of its last
/// chunk.
__device__ __forceinline__ int64_t stored_columns(int64_t n, RowFormat format) {
  return format == RowFormat::kF32 ? n : num_chunks_of(n) * kChunkInputs;
}

/// Elements [i, i + 4) of a quantised row of n, i a multiple of four; zeros past n. All lanes of a
/// warp call it for 32 neighbouring groups of four.
__device__ __forceinline__ void store_quantized_group(uint32_t* words, int64_t i, int64_t n,
                                                      float4 x, RowFormat format) {
  if (i >= n) x.x = 0.0f;
  if (i + 1 >= n) x.y = 0.0f;
  if (i + 2 >= n) x.z = 0.0f;
  if (i + 3 >= n) x.w = 0.0f;
  if (format == RowFormat::kI8) return store_int8_group(words, static_cast<int>(i), x);
  store_half_group(words, static_cast<int>(i), x, format);
}

}  // namespace quire::cuda
