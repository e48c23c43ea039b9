#pragma once

#include "kernels/cuda/device/numeric.h"

/// What the quantised formats share: how codes lie in a lane's words, and how they become halves.
///
/// A code of up to 10 bits in the mantissa of an f16 whose exponent bits say 1024 is the number
/// 1024 + code; where it begins `shift` bits up, 1024 + 2^shift code. One multiply-add then gives
/// code - zero, exactly, and a second one applies scale and minimum with a single rounding. Two
/// instructions for two weights are what that exactness costs: folded into one, the addend
/// (1024 + zero) * scale would itself be rounded, by up to half of a quantisation step.
namespace quire::cuda {

/// 1024 in both halves.
inline constexpr uint32_t kF16x2Magic = 0x64006400u;
inline constexpr uint32_t kF16x2Zero = 0;
/// The upper bytes of kF16x2Magic, for __byte_perm.
inline constexpr uint32_t kMagicBytes = 0x64646464u;

/// (word & mask) | bits in one instruction: of two constants the compiler would make two.
__device__ __forceinline__ uint32_t masked_or(uint32_t word, uint32_t mask, uint32_t bits) {
#ifdef QUIRE_SIMT_HARNESS
  return (word & mask) | bits;
#else
  uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(word), "r"(mask), "r"(bits));
  return result;
#endif
}

/// x as f16, twice; x is 0 or such a number exactly, and normal.
__host__ __device__ constexpr uint32_t f16_twice(float x) {
  if (x == 0.0f) return 0;
  const uint32_t sign = x < 0 ? 0x8000u : 0u;
  float magnitude = x < 0 ? -x : x;
  uint32_t exponent = 15;
  for (; magnitude >= 2.0f; magnitude *= 0.5f) ++exponent;
  for (; magnitude < 1.0f; magnitude *= 2.0f) --exponent;
  const auto mantissa = static_cast<uint32_t>((magnitude - 1.0f) * 1024.0f);
  return (sign | exponent << 10 | mantissa) * 0x10001u;
}

/// 1024 + 2^kShift code in both halves becomes code - kZero, exactly.
template <int kShift, int kZero>
__device__ __forceinline__ uint32_t centred(uint32_t halves) {
  constexpr float kUnit = 1.0f / static_cast<float>(1 << kShift);
  constexpr uint32_t kFactor = f16_twice(kUnit);
  constexpr uint32_t kAddend = f16_twice(-1024.0f * kUnit - static_cast<float>(kZero));
  return fma_f16x2(halves, kFactor, kAddend);
}

/// The codes of kBits bits from bit kShift on of both halves of `word`, less kZero.
template <int kBits, int kShift, int kZero>
__device__ __forceinline__ uint32_t take_codes(uint32_t word) {
  constexpr uint32_t kMask = ((1u << kBits) - 1u) << kShift;
  return centred<kShift, kZero>(masked_or(word, kMask * 0x10001u, kF16x2Magic));
}

/// Two bytes of `word`, the pair-th, as halves, less kZero.
template <int kZero>
__device__ __forceinline__ uint32_t take_bytes(uint32_t word, int pair) {
  const uint32_t halves = __byte_perm(word, kMagicBytes, pair == 0 ? 0x4140 : 0x4342);
  return centred<0, kZero>(halves);
}

__device__ __forceinline__ uint32_t low_twice(uint32_t halves) {
  return __byte_perm(halves, 0, 0x1010);
}
__device__ __forceinline__ uint32_t high_twice(uint32_t halves) {
  return __byte_perm(halves, 0, 0x3232);
}

/// The eight codes of one step: nibble r + 4 h is the one for half h of register r. Row g's
/// registers (0 and 2) come from the lower nibbles of bytes, row g + 8's from the upper.
template <int kZero>
__device__ __forceinline__ void take_nibbles(uint32_t word, uint32_t (&q)[4]) {
  q[0] = take_codes<4, 0, kZero>(word);
  q[1] = take_codes<4, 4, kZero>(word);
  q[2] = take_codes<4, 0, kZero>(word >> 8);
  q[3] = take_codes<4, 4, kZero>(word >> 8);
}

/// Nibbles as in take_nibbles with further bits above them: kHigh (1 or 2) bits of each code, from
/// bit 4 on for registers 0 and 2 and from bit 8 on for 1 and 3, in high[0] for registers 0 and 1
/// and in high[1] for 2 and 3.
template <int kHigh, int kZero>
__device__ __forceinline__ void take_nibbles_and(uint32_t word, const uint32_t (&high)[2],
                                                 uint32_t (&q)[4]) {
  constexpr uint32_t kHighMask = ((1u << kHigh) - 1u) * 0x00100010u;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const uint32_t low = i == 0 ? word : word >> 8;
    const uint32_t even = masked_or(low, 0x000f000fu, kF16x2Magic);
    const uint32_t odd = masked_or(low, 0x00f000f0u, kF16x2Magic);
    q[2 * i] = centred<0, kZero>(masked_or(high[i], kHighMask, even));
    q[2 * i + 1] = centred<4, kZero>(masked_or(high[i], kHighMask << 4, odd));
  }
}

/// A plane of single bits: a word for four steps. The bits of registers 2 i and 2 i + 1 of step s
/// lie four apart (as take_nibbles_and wants them), from bit p = j, or j + 4 if j is over 3, on,
/// with j = 2 s + i; those of the second half 16 above.
__device__ __forceinline__ void take_high_bits(uint32_t plane, int step, uint32_t (&high)[2]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int j = 2 * (step % 4) + i;
    high[i] = j < 4 ? plane << (4 - j) : plane >> j;
  }
}

/// A plane of two bits a code: a word for two steps, p = 0, 2, 8, 10 for j = 2 s + i.
__device__ __forceinline__ void take_high_pairs(uint32_t plane, int step, uint32_t (&high)[2]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int j = 2 * (step % 2) + i;
    high[i] = j < 2 ? plane << (4 - 2 * j) : plane >> (2 * j);
  }
}

/// a = q * scale, rounded once; registers 0 and 2 are of row g, 1 and 3 of row g + 8.
__device__ __forceinline__ void scale_codes(const uint32_t (&q)[4], uint32_t scale_g,
                                            uint32_t scale_g8, uint32_t (&a)[4]) {
#pragma unroll
  for (int r = 0; r < 4; ++r) a[r] = fma_f16x2(q[r], r % 2 == 0 ? scale_g : scale_g8, kF16x2Zero);
}

/// a = q * scale + minimum, rounded once.
__device__ __forceinline__ void scale_codes(const uint32_t (&q)[4], uint32_t scale_g,
                                            uint32_t scale_g8, uint32_t minimum_g,
                                            uint32_t minimum_g8, uint32_t (&a)[4]) {
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    a[r] = fma_f16x2(q[r], r % 2 == 0 ? scale_g : scale_g8, r % 2 == 0 ? minimum_g : minimum_g8);
  }
}

/// words[4 i ..] = the lane's 16 bytes of the i-th run of 512 bytes.
template <int kRuns>
__device__ __forceinline__ void load_runs(const uint8_t* at, int lane,
                                          uint32_t (&words)[4 * kRuns]) {
#pragma unroll
  for (int i = 0; i < kRuns; ++i) {
    const uint4 run = __ldcs(reinterpret_cast<const uint4*>(at) + i * kWarpSize + lane);
    words[4 * i] = run.x;
    words[4 * i + 1] = run.y;
    words[4 * i + 2] = run.z;
    words[4 * i + 3] = run.w;
  }
}

/// Bytes of one run: 16 for each lane.
inline constexpr int kRunBytes = 16 * kWarpSize;

}  // namespace quire::cuda
