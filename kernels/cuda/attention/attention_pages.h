#pragma once

#include "kernels/cuda/attention/attention_layout.h"
#include "kernels/cuda/device/async_copy.h"
#include "kernels/cuda/device/numeric.h"

/// The copy of pages to shared memory and their conversion to halves, for tensor-core attention.
namespace quire::cuda {

/// The format of pages, and of the halves that they are multiplied as.
enum class Pages {
  kF16,
  kBF16,
  kBF16AsF16,  ///< For GPUs without bf16 products (sm_75); beyond 65504 it saturates.
  kF8,
  kI8,
};

/// kWidens: pages are staged unchanged and widened into a second buffer. kConverts: halves are
/// converted in place. A key is kKeyUnit times its halves, a sum of values kValueUnit times the sum
/// of their halves.
template <Pages kPages>
struct PageTraits {
  static constexpr Half kHalf = kPages == Pages::kBF16 ? Half::kBF16 : Half::kF16;
  static constexpr int kBytes = kPages == Pages::kF8 || kPages == Pages::kI8 ? 1 : 2;
  static constexpr bool kWidens = kBytes == 1;
  static constexpr bool kConverts = kPages == Pages::kBF16AsF16;
  /// An f8_e4m3 becomes the f16 of the same bits, whose exponent bias is 15 instead of 7.
  static constexpr float kKeyUnit = kPages == Pages::kF8 ? 256.0f : 1.0f;
  /// The weights are multiplied by the scales of i8 values, usually 0.001 to 1, and by 256, so that
  /// they use the range of f16.
  static constexpr float kWeightUnit = 256.0f;
  static constexpr float kValueUnit =
      kPages == Pages::kF8 ? 256.0f : (kPages == Pages::kI8 ? 1.0f / kWeightUnit : 1.0f);
};

/// The layout of a tile kernel's shared memory, in bytes from its start. Rows of halves are padded
/// with 16 bytes, so that the eight rows of a load_matrix lie in different banks. kParts: warps
/// that share rows; each computes a part of the dimensions of their sums.
template <Pages kPages, int kDim, int kParts>
struct TileMemory {
  using Traits = PageTraits<kPages>;
  static constexpr int kRowBytes = kDim * 2 + 16;
  static constexpr int kBlockBytes = kKeyBlock * kRowBytes;
  static constexpr int kStageRowBytes = Traits::kWidens ? kDim * Traits::kBytes : kRowBytes;
  static constexpr int kStageBytes = kKeyBlock * kStageRowBytes;
  /// The scales of the keys and values of two blocks.
  static constexpr int kScaleFloats = kPages == Pages::kI8 ? 4 * kKeyBlock : 0;

  /// The queries are first.
  __host__ __device__ static constexpr int tile_rows(int rows) { return rows * kRowBytes; }
  __host__ __device__ static constexpr int scales(int rows) {
    return rows * (kRowBytes + kParts * static_cast<int>(sizeof(TileRow)));
  }
  __host__ __device__ static constexpr int stages(int rows) {
    return scales(rows) + kScaleFloats * static_cast<int>(sizeof(float));
  }
  __host__ __device__ static constexpr int widened(int rows, bool is_serial) {
    return stages(rows) + (is_serial ? 1 : 2) * kStageBytes;
  }
  __host__ __device__ static constexpr int size(int rows, bool is_serial) {
    return widened(rows, is_serial) + (Traits::kWidens ? kBlockBytes : 0);
  }
};

/// The pages of one KV head of a tile's sequence.
struct PageSource {
  const int32_t* table;
  int first;      ///< The head's first slot in a page.
  int stride;     ///< Slots between consecutive pages.
  int key_begin;  ///< Keys outside of [key_begin, key_end) are zeros and are not read.
  int key_end;
};

/// The page of the block's keys 16 i ... 16 i + 15; 0 if none of them is seen.
__device__ __forceinline__ int32_t find_page(const PageSource& source, int block, int i) {
  const int key = block + i * kPageKeys;
  const bool is_seen = key < source.key_end && key + kPageKeys > source.key_begin;
  // The table is copied before the step and no kernel writes it. A plain load would be generic.
  return is_seen ? __ldg(source.table + key / kPageKeys) : 0;
}

/// Begins to copy a block's keys or values, head_dim elements each, to rows of shared memory.
/// pages: kBlockPages.
template <int kRowBytes, int kRowChunks>
__device__ __forceinline__ void stage_block(unsigned char* stage, const void* pool,
                                            const PageSource& source, const int32_t* pages,
                                            int block, int row_bytes) {
  const auto* const bytes = static_cast<const unsigned char*>(pool);
  // Unrolled further, the addresses would not fit into registers.
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < kKeyBlock * kRowChunks;
       i += static_cast<int>(blockDim.x)) {
    const int key = i / kRowChunks;
    const int offset = i % kRowChunks * 16;
    if (offset >= row_bytes) continue;
    const int64_t at =
        int64_t{pages[key / kPageKeys]} * source.stride + source.first + key % kPageKeys;
    const bool is_seen = block + key >= source.key_begin && block + key < source.key_end;
    copy_async_16(stage + key * kRowBytes + offset, bytes + at * row_bytes + offset, is_seen);
  }
}

/// Begins to copy the scales of a block's keys, kKeyBlock floats.
__device__ __forceinline__ void stage_scales(float* stage, const float* pool,
                                             const PageSource& source, const int32_t* pages,
                                             int block, int thread) {
  constexpr int kChunk = 4;
  if (thread < 0 || thread >= kKeyBlock / kChunk) return;
  const int key = thread * kChunk;
  const bool is_seen = block + key + kChunk > source.key_begin && block + key < source.key_end;
  const int64_t at =
      int64_t{pages[key / kPageKeys]} * source.stride + source.first + key % kPageKeys;
  copy_async_16(stage + key, pool + at, is_seen);
}

/// Four bytes as two pairs of f16: f8_e4m3 divided by 256, or i8; both are exact.
template <Pages kPages>
__device__ __forceinline__ uint2 widen_bytes(uint32_t word) {
  if constexpr (kPages == Pages::kF8) {
    const uint32_t low = __byte_perm(word, 0, 0x1404);
    const uint32_t high = __byte_perm(word, 0, 0x3424);
    return make_uint2((low & 0x80008000u) | ((low & 0x7f007f00u) >> 1),
                      (high & 0x80008000u) | ((high & 0x7f007f00u) >> 1));
  } else {
    // 0x64uu is 1024 + uu, with uu = i + 128.
    constexpr uint32_t kOne = 0x3c003c00u;
    constexpr uint32_t kMinus1152 = 0xe480e480u;
    const uint32_t shifted = word ^ 0x80808080u;
    return make_uint2(fma_f16x2(__byte_perm(shifted, 0x64646464u, 0x4140), kOne, kMinus1152),
                      fma_f16x2(__byte_perm(shifted, 0x64646464u, 0x4342), kOne, kMinus1152));
  }
}

/// A pair of bf16 as f16, saturating.
__device__ __forceinline__ uint32_t bf16_pair_as_f16(uint32_t pair) {
  constexpr float kMost = 65504.0f;
  const float low = __uint_as_float(pair << 16);
  const float high = __uint_as_float(pair & 0xffff0000u);
  return pack_f16x2(fminf(fmaxf(low, -kMost), kMost), fminf(fmaxf(high, -kMost), kMost));
}

/// Widens or converts a staged block into rows of halves, which may be in the same place.
template <Pages kPages, int kRowBytes, int kStageRowBytes>
__device__ __forceinline__ void widen_block(unsigned char* rows, const unsigned char* stage,
                                            int row_bytes) {
  constexpr int kRowChunks = kStageRowBytes / 16;
  for (int i = static_cast<int>(threadIdx.x); i < kKeyBlock * kRowChunks;
       i += static_cast<int>(blockDim.x)) {
    const int key = i / kRowChunks;
    const int chunk = i % kRowChunks;
    if (chunk * 16 >= row_bytes) continue;
    const uint4 in = *reinterpret_cast<const uint4*>(stage + i * 16);
    auto* const out = reinterpret_cast<uint4*>(rows + key * kRowBytes);
    if constexpr (kPages == Pages::kBF16AsF16) {
      out[chunk] = make_uint4(bf16_pair_as_f16(in.x), bf16_pair_as_f16(in.y),
                              bf16_pair_as_f16(in.z), bf16_pair_as_f16(in.w));
    } else {
      const uint2 a = widen_bytes<kPages>(in.x);
      const uint2 b = widen_bytes<kPages>(in.y);
      const uint2 c = widen_bytes<kPages>(in.z);
      const uint2 d = widen_bytes<kPages>(in.w);
      out[2 * chunk] = make_uint4(a.x, a.y, b.x, b.y);
      out[2 * chunk + 1] = make_uint4(c.x, c.y, d.x, d.y);
    }
  }
}

}  // namespace quire::cuda
