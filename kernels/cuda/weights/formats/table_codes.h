#pragma once

#include "kernels/base/dequantize.h"
#include "kernels/cuda/weights/formats/codes.h"

/// Codes of four bits that are indices of a table of 16 values (codes.h).
namespace quire::cuda {

/// As __byte_perm, with a selector whose nibbles are below 8: nvcc would mask it first.
__device__ __forceinline__ uint32_t permute_bytes(uint32_t x, uint32_t y, uint32_t selector) {
#ifdef QUIRE_SIMT_HARNESS
  return __byte_perm(x, y, selector);
#else
  uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(selector));
  return result;
#endif
}

/// Eight nibbles as selectors of bytes in tables of 16.
class NibbleSelectors {
 public:
  __device__ __forceinline__ explicit NibbleSelectors(uint32_t word)
      : m_selectors(word & 0x77777777u), m_uppers(masked_or(word >> 1, 0x44444444u, 0x32103210u)) {}

  /// The bytes of the lower (half 0) or upper four nibbles in a table of 16 bytes.
  __device__ __forceinline__ uint32_t look_up(int half, const uint32_t (&table)[4]) const {
    const uint32_t selectors = m_selectors >> (16 * half);
    const uint32_t lower_half = permute_bytes(table[0], table[1], selectors);
    const uint32_t upper_half = permute_bytes(table[2], table[3], selectors);
    return permute_bytes(lower_half, upper_half, m_uppers >> (16 * half));
  }

 private:
  uint32_t m_selectors;
  /// Nibble i of each half is i, plus 4 if the fourth bit of code i is set.
  uint32_t m_uppers;
};

/// The numbers of E2M1, times two, as bytes.
inline constexpr int8_t kE2m1Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
__host__ __device__ constexpr uint32_t e2m1_word(int first) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= (static_cast<uint32_t>(kE2m1Values[first + i]) & 255u) << (8 * i);
  }
  return word;
}
/// A step's E2M1 codes in the order of Nibbles, as Nibbles::int8_codes() gives codes, times two.
__device__ __forceinline__ void e2m1_bytes(uint32_t word, uint32_t (&a)[2]) {
  constexpr uint32_t kWords[4] = {e2m1_word(0), e2m1_word(4), e2m1_word(8), e2m1_word(12)};
  const NibbleSelectors codes(word);
  const uint32_t first = codes.look_up(0, kWords);
  const uint32_t second = codes.look_up(1, kWords);
  a[0] = __byte_perm(first, second, 0x6420);
  a[1] = __byte_perm(first, second, 0x7531);
}

/// Four of kIq4Values plus 128, in a word.
__host__ __device__ constexpr uint32_t iq4_word(int first) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= static_cast<uint32_t>(kIq4Values[first + i] + 128) << (8 * i);
  }
  return word;
}

/// IQ4_NL's and IQ4_XS's, a word for each step: nibble 2 r + h is the code for half h of register
/// r. take() gives the codes' values in a table of 16 integers.
template <int kUnitInputs>
struct Iq4Codes : RunWords<kUnitInputs / 64> {
  static constexpr int kInputs = kUnitInputs;
  using RunWords<kInputs / 64>::words;

  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
    const NibbleSelectors codes(words[step]);
    const uint32_t first = look_up(codes, 0);
    const uint32_t second = look_up(codes, 1);
    q[0] = take_bytes<128>(first, 0);
    q[1] = take_bytes<128>(first, 1);
    q[2] = take_bytes<128>(second, 0);
    q[3] = take_bytes<128>(second, 1);
  }
  static constexpr int kInt8Down = 0;
  __device__ __forceinline__ void int8_codes(int step, uint32_t (&a)[2]) const {
    const NibbleSelectors codes(words[step]);
    const uint32_t first = look_up(codes, 0) ^ kInt8Signs;
    const uint32_t second = look_up(codes, 1) ^ kInt8Signs;
    a[0] = __byte_perm(first, second, kRowBytes);
    a[1] = __byte_perm(first, second, kNextRowBytes);
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const RunPlace place(w);
    uint32_t word = 0;
    for (int n = 0; n < 8; ++n) {
      word |= code_at<Blocks>(tile, place.lane, place.word, n / 2, n % 2) << (4 * n);
    }
    return word;
  }

 private:
  __device__ __forceinline__ static uint32_t look_up(const NibbleSelectors& codes, int half) {
    constexpr uint32_t kWords[4] = {iq4_word(0), iq4_word(4), iq4_word(8), iq4_word(12)};
    return codes.look_up(half, kWords);
  }
};

}  // namespace quire::cuda
