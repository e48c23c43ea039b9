#pragma once

#include "kernels/base/half_rows.h"
#include "kernels/cuda/linear/inputs.h"
#include "kernels/cuda/rows/row_access.h"
#include "kernels/cuda/rows/row_format.h"

/// Rows that norms and attention write: f32, or half rows for GEMMs, rounded as GEMMs round f32 and
/// in the order of linear/inputs.h.
namespace quire::cuda {

static_assert(kHalfRowAlignment == kChunkInputs);

struct OutRows {
  void* data;
  int64_t stride;  ///< Elements.
  RowFormat format;

  __device__ __forceinline__ float* floats(int64_t row) const {
    return static_cast<float*>(data) + row * stride;
  }
  /// Pairs of halves, at the places of half_word().
  __device__ __forceinline__ uint32_t* words(int64_t row) const {
    return static_cast<uint32_t*>(data) + row * (stride / 2);
  }
};

/// Checks the layout of halves.
inline OutRows out_rows_of(const TensorView& out) {
  if (out.dtype() == DType::kF32) return {out.data(), out.row_stride(), RowFormat::kF32};
  CHECK(is_half_rows(out) && is_aligned_pointer(out.data()));
  return {out.data(), out.row_stride(), row_format(out.dtype())};
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

/// Elements [i, i + 4) of a half row of n, i a multiple of four; zeros past n.
__device__ __forceinline__ void store_half_group(uint32_t* words, int64_t i, int64_t n, float4 x,
                                                 RowFormat format) {
  constexpr int kWordsOfVector = 4;
  if (i + 1 >= n) x.y = 0.0f;
  if (i + 2 >= n) x.z = 0.0f;
  if (i + 3 >= n) x.w = 0.0f;
  uint32_t* const place = words + half_word(static_cast<int>(i));
  place[0] = round_pair(x.x, x.y, format);
  place[kWordsOfVector] = round_pair(x.z, x.w, format);
}

/// Zeros from the group behind column n to the end of the half row's last chunk, by all of a row's
/// threads.
__device__ __forceinline__ void clear_half_padding(uint32_t* words, int64_t n, unsigned thread,
                                                   unsigned num_threads) {
  const int64_t end = num_chunks_of(n) * kChunkInputs;
  for (int64_t i = (n + 3) / 4 * 4 + 4 * int64_t{thread}; i < end; i += 4 * int64_t{num_threads}) {
    store_half_group(words, i, 0, make_float4(0.0f, 0.0f, 0.0f, 0.0f), RowFormat::kBF16);
  }
}

}  // namespace quire::cuda
