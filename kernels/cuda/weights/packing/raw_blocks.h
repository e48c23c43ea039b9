#pragma once

#include "kernels/cuda/device/portable.h"

/// GGUF's blocks as they lie in files, read by the packing kernels: the codes without their zero
/// taken off, and the scales' bits. The same layouts as kernels/base/dequantize.cpp states; a block
/// lies at any address.
namespace quire::cuda {

__device__ __forceinline__ uint32_t raw_u16(const uint8_t* p) {
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8;
}

/// Element i of 32 whose lower halves come first.
__device__ __forceinline__ uint32_t raw_nibble(const uint8_t* codes, int i) {
  return (static_cast<uint32_t>(codes[i % 16]) >> (i / 16 * 4)) & 15u;
}
__device__ __forceinline__ uint32_t raw_bit(const uint8_t* bits, int i) {
  return (static_cast<uint32_t>(bits[i / 8]) >> (i % 8)) & 1u;
}
/// Element i of 256 in two bits each, as Q2_K and Q3_K have them.
__device__ __forceinline__ uint32_t raw_pair(const uint8_t* codes, int i) {
  return (static_cast<uint32_t>(codes[i / 128 * 32 + i % 32]) >> (i % 128 / 32 * 2)) & 3u;
}

struct Q4_0Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 18;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_nibble(b + 2, i); }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
};

struct Q4_1Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 20;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_nibble(b + 4, i); }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 2); }
};

struct Q5_0Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 22;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_nibble(b + 6, i) | raw_bit(b + 2, i) << 4;
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
};

struct Q5_1Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 24;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_nibble(b + 8, i) | raw_bit(b + 4, i) << 4;
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 2); }
};

struct Q8_0Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 34;
  /// 128 more than the signed byte.
  __device__ static uint32_t code(const uint8_t* b, int i) { return b[2 + i] ^ 0x80u; }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
};

struct Iq4NlBlocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 18;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_nibble(b + 2, i); }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
};

struct Mxfp4Blocks {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 17;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_nibble(b + 1, i); }
  __device__ static int exponent(const uint8_t* b) { return b[0]; }
};

struct Q2KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 84;
  __device__ static uint32_t code(const uint8_t* b, int i) { return raw_pair(b + 16, i); }
  /// Scale and minimum of 16 elements, four bits each.
  __device__ static uint32_t part(const uint8_t* b, int p) { return b[p]; }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b + 80); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 82); }
};

struct Q3KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 110;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    const uint32_t high = (static_cast<uint32_t>(b[i % 32]) >> (i / 32)) & 1u;
    return raw_pair(b + 32, i) | high << 2;
  }
  /// 128 more than the scale of 16 elements.
  __device__ static uint32_t part(const uint8_t* b, int p) {
    const uint8_t* const scales = b + 96;
    const uint32_t low = (static_cast<uint32_t>(scales[p % 8]) >> (p / 8 * 4)) & 15u;
    const uint32_t high = (static_cast<uint32_t>(scales[8 + p % 4]) >> (p / 4 * 2)) & 3u;
    return (low | high << 4) + 96u;
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b + 108); }
};

/// Scale and minimum of part p of 8, six bits each, of Q4_K and Q5_K: a byte each, the scale below.
__device__ __forceinline__ uint32_t raw_scale_and_minimum(const uint8_t* scales, int p) {
  if (p < 4) return (scales[p] & 63u) | (scales[p + 4] & 63u) << 8;
  const uint32_t scale = (scales[p + 4] & 15u) | static_cast<uint32_t>(scales[p - 4] >> 6) << 4;
  const uint32_t minimum =
      static_cast<uint32_t>(scales[p + 4] >> 4) | static_cast<uint32_t>(scales[p] >> 6) << 4;
  return scale | minimum << 8;
}

struct Q4KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 144;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return (static_cast<uint32_t>(b[16 + i / 64 * 32 + i % 32]) >> (i % 64 / 32 * 4)) & 15u;
  }
  __device__ static uint32_t part(const uint8_t* b, int p) {
    return raw_scale_and_minimum(b + 4, p);
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 2); }
};

struct Q5KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 176;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    const uint32_t low =
        (static_cast<uint32_t>(b[48 + i / 64 * 32 + i % 32]) >> (i % 64 / 32 * 4)) & 15u;
    const uint32_t high = (static_cast<uint32_t>(b[16 + i % 32]) >> (i / 32)) & 1u;
    return low | high << 4;
  }
  __device__ static uint32_t part(const uint8_t* b, int p) {
    return raw_scale_and_minimum(b + 4, p);
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
  __device__ static uint32_t minimum(const uint8_t* b) { return raw_u16(b + 2); }
};

struct Q6KBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 210;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    const int half = i / 128;
    const int quarter = i % 128 / 32;
    const uint32_t low = b[half * 64 + quarter % 2 * 32 + i % 32];
    const uint32_t high = b[128 + half * 32 + i % 32];
    return ((low >> (quarter / 2 * 4)) & 15u) | ((high >> (quarter * 2)) & 3u) << 4;
  }
  /// 128 more than the scale of 16 elements.
  __device__ static uint32_t part(const uint8_t* b, int p) { return b[192 + p] ^ 0x80u; }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b + 208); }
};

struct Iq4XsBlocks {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 136;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_nibble(b + 8 + i / 32 * 16, i % 32);
  }
  /// 128 more than the scale of 32 elements.
  __device__ static uint32_t part(const uint8_t* b, int p) {
    const uint32_t low = (static_cast<uint32_t>(b[4 + p / 2]) >> (p % 2 * 4)) & 15u;
    return (low | ((raw_u16(b + 2) >> (2 * p)) & 3u) << 4) + 96u;
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_u16(b); }
};

}  // namespace quire::cuda
