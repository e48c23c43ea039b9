#pragma once

#include "kernels/cuda/device/numeric.h"
#include "kernels/cuda/weights/formats/raw_blocks.h"

/// The codes of quantised formats: their layout in a lane's words, and their conversion to halves.
///
/// A code of up to 10 bits in the mantissa of an f16 with the exponent of 1024 is the number
/// 1024 + code; `shift` bits further up it is 1024 + 2^shift code. One multiply-add then gives
/// code - zero, exactly, and a second one applies scale and minimum with a single rounding. This
/// takes two instructions for two weights: in a single one, the addend (1024 + zero) * scale would
/// itself be rounded, by up to half of a quantisation step.
namespace quire::cuda {

/// 1024 in both halves.
inline constexpr uint32_t kF16x2Magic = 0x64006400u;
inline constexpr uint32_t kF16x2Zero = 0;
/// The upper bytes of kF16x2Magic, for __byte_perm.
inline constexpr uint32_t kMagicBytes = 0x64646464u;

/// (word & mask) | bits in one instruction: the compiler would use two for two constants.
__device__ __forceinline__ uint32_t masked_or(uint32_t word, uint32_t mask, uint32_t bits) {
#ifdef QUIRE_SIMT_HARNESS
  return (word & mask) | bits;
#else
  uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(word), "r"(mask), "r"(bits));
  return result;
#endif
}

/// (word & mask) ^ bits in one instruction.
__device__ __forceinline__ uint32_t masked_xor(uint32_t word, uint32_t mask, uint32_t bits) {
#ifdef QUIRE_SIMT_HARNESS
  return (word & mask) ^ bits;
#else
  uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(result) : "r"(word), "r"(mask), "r"(bits));
  return result;
#endif
}

/// word << by, or word >> -by.
__device__ __forceinline__ uint32_t shifted(uint32_t word, int by) {
  return by < 0 ? word >> -by : word << by;
}

/// The upper bits of four bytes: flipped, unsigned codes become signed ones, 128 less.
inline constexpr uint32_t kInt8Signs = 0x80808080u;

/// x as f16, in both halves; x is 0 or exactly a normal f16.
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

/// Converts 1024 + 2^kShift code in both halves to (code - kZero) * 2^-kDown, exactly.
template <int kShift, int kZero, int kDown = 0>
__device__ __forceinline__ uint32_t centred(uint32_t halves) {
  constexpr float kUnit = 1.0f / static_cast<float>(1 << kShift);
  constexpr float kScale = 1.0f / static_cast<float>(1 << kDown);
  constexpr uint32_t kFactor = f16_twice(kUnit * kScale);
  constexpr uint32_t kAddend = f16_twice((-1024.0f * kUnit - static_cast<float>(kZero)) * kScale);
  return fma_f16x2(halves, kFactor, kAddend);
}

/// The codes of kBits bits from bit kShift on of both halves of `word`, minus kZero.
template <int kBits, int kShift, int kZero>
__device__ __forceinline__ uint32_t take_codes(uint32_t word) {
  constexpr uint32_t kMask = ((1u << kBits) - 1u) << kShift;
  return centred<kShift, kZero>(masked_or(word, kMask * 0x10001u, kF16x2Magic));
}

/// The pair-th two bytes of `word` as halves, minus kZero, times 2^-kDown.
template <int kZero, int kDown = 0>
__device__ __forceinline__ uint32_t take_bytes(uint32_t word, int pair) {
  const uint32_t halves = __byte_perm(word, kMagicBytes, pair == 0 ? 0x4140 : 0x4342);
  return centred<0, kZero, kDown>(halves);
}

/// Register r of a step's E2M1 codes in the order of Nibbles, as halves with kMantissaBits: the
/// sign becomes the half's, the other three bits its lower two exponent bits and its first mantissa
/// bit, which is the code's number times a power of two (2^-14 for f16), the subnormal 0.5
/// included.
template <int kMantissaBits>
__device__ __forceinline__ uint32_t e2m1_halves(uint32_t word, int r) {
  constexpr uint32_t kMask = (7u << (kMantissaBits - 1)) * 0x10001u;
  const uint32_t top = word << (12 - 4 * r);
  return masked_or(top, 0x80008000u, (top >> (13 - kMantissaBits)) & kMask);
}

__device__ __forceinline__ uint32_t low_twice(uint32_t halves) {
  return __byte_perm(halves, 0, 0x1010);
}
__device__ __forceinline__ uint32_t high_twice(uint32_t halves) {
  return __byte_perm(halves, 0, 0x3232);
}

/// Runs of 512 bytes: words[4 i ..] are the lane's 16 bytes of the i-th.
template <int kRuns>
struct RunWords {
  static constexpr int kBytes = kRuns * 16 * kWarpSize;
  uint32_t words[4 * kRuns];

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
#pragma unroll
    for (int i = 0; i < kRuns; ++i) {
      const uint4 run = __ldcs(reinterpret_cast<const uint4*>(at) + i * kWarpSize + lane);
      words[4 * i] = run.x;
      words[4 * i + 1] = run.y;
      words[4 * i + 2] = run.z;
      words[4 * i + 3] = run.w;
    }
  }
};

// Sections of codes. Each has:
//   kInputs, kBytes             of a unit
//   load(at, lane)              the lane's words of the section that begins at `at`
//   take(step, q)               the codes of a step minus their zero point, as halves: registers 0
//                               and 2 of row g, 1 and 3 of row g + 8 (tensor_core.h)
//   int8_codes(step, a)              the codes of a step minus their zero point, times 2^kInt8Down,
//   as
//                               signed bytes: a[0] of row g, a[1] of row g + 8, in the order of
//                               registers 0 and 2, the first halves in front (int8_activations.h)
//   word<Blocks>(tile, w)       word w of the section, made from a file's blocks

/// Nibbles, a word for each step: nibble r + 4 h is the code for half h of register r. The
/// registers of row g have the lower nibbles of bytes, those of row g + 8 the upper.
template <int kUnitInputs, int kZero>
struct Nibbles : RunWords<kUnitInputs / 64> {
  static constexpr int kInputs = kUnitInputs;
  using RunWords<kInputs / 64>::words;

  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
    q[0] = take_codes<4, 0, kZero>(words[step]);
    q[1] = take_codes<4, 4, kZero>(words[step]);
    q[2] = take_codes<4, 0, kZero>(words[step] >> 8);
    q[3] = take_codes<4, 4, kZero>(words[step] >> 8);
  }
  static constexpr int kInt8Down = kZero == 0 ? 0 : 4;
  __device__ __forceinline__ void int8_codes(int step, uint32_t (&a)[2]) const {
    static_assert(kZero == 0 || kZero == 8);
    if constexpr (kZero == 0) {
      a[0] = words[step] & 0x0f0f0f0fu;
      a[1] = words[step] >> 4 & 0x0f0f0f0fu;
    } else {
      a[0] = masked_xor(words[step] << 4, 0xf0f0f0f0u, kInt8Signs);
      a[1] = masked_xor(words[step], 0xf0f0f0f0u, kInt8Signs);
    }
  }
  /// The nibbles of a step from bit kBit of each byte on, as int8_codes().
  template <int kBit>
  __device__ __forceinline__ uint32_t nibble_bytes(int step, int row) const {
    return shifted(words[step], kBit - 4 * row) & (0x0f0f0f0fu << kBit);
  }
  /// As take() with further bits above the nibbles: kHigh (1 or 2) bits of each code, from bit 4 on
  /// for registers 0 and 2 and from bit 8 on for 1 and 3, in high[0] for registers 0 and 1 and in
  /// high[1] for 2 and 3.
  template <int kHigh>
  __device__ __forceinline__ void take_with(const uint32_t (&high)[2], int step,
                                            uint32_t (&q)[4]) const {
    constexpr uint32_t kHighMask = ((1u << kHigh) - 1u) * 0x00100010u;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t low = i == 0 ? words[step] : words[step] >> 8;
      const uint32_t even = masked_or(low, 0x000f000fu, kF16x2Magic);
      const uint32_t odd = masked_or(low, 0x00f000f0u, kF16x2Magic);
      q[2 * i] = centred<0, kZero>(masked_or(high[i], kHighMask, even));
      q[2 * i + 1] = centred<4, kZero>(masked_or(high[i], kHighMask << 4, odd));
    }
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const RunPlace place(w);
    uint32_t word = 0;
    for (int n = 0; n < 8; ++n) {
      word |= (code_at<Blocks>(tile, place.lane, place.word, n % 4, n / 4) & 15u) << (4 * n);
    }
    return word;
  }
};

/// Nibbles, then a plane of fifth bits: for each lane a word for four steps. With j = 2 s + i, the
/// bit of register 2 i of step s is bit j, or j + 4 if j > 3, and that of register 2 i + 1 is four
/// bits above (as take_with reads them); the bits of the second half are 16 bits above.
template <int kUnitInputs, int kZero>
struct FiveBitCodes {
  static constexpr int kInputs = kUnitInputs;
  static constexpr int kPlanes = kInputs / 64;
  using Low = Nibbles<kInputs, kZero>;
  static constexpr int kBytes = Low::kBytes + kPlanes * 4 * kWarpSize;
  Low low;
  uint32_t fifth_bits[kPlanes];

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    low.load(at, lane);
    if constexpr (kPlanes == 1) {
      fifth_bits[0] = __ldcs(reinterpret_cast<const unsigned*>(at + Low::kBytes) + lane);
    } else {
      RunWords<1> planes;
      planes.load(at + Low::kBytes, lane);
#pragma unroll
      for (int i = 0; i < kPlanes; ++i) fifth_bits[i] = planes.words[i];
    }
  }
  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
    const uint32_t plane = fifth_bits[step / 4];
    uint32_t high[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int j = 2 * (step % 4) + i;
      high[i] = j < 4 ? plane << (4 - j) : plane >> j;
    }
    low.template take_with<1>(high, step, q);
  }
  static constexpr int kInt8Down = kZero == 0 ? 0 : 3;
  __device__ __forceinline__ void int8_codes(int step, uint32_t (&a)[2]) const {
    static_assert(kZero == 0 || kZero == 16);
    constexpr int kBit = kInt8Down + 4;
    constexpr uint32_t kMask = 0x00010001u << kBit;
    const int j = 2 * (step % 4);
    const int first_bit = j < 4 ? j : j + 4;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const int by = kBit - first_bit - 4 * row;
      const uint32_t plane = fifth_bits[step / 4];
      a[row] =
          masked_or(shifted(plane, by), kMask, low.template nibble_bytes<kInt8Down>(step, row));
      a[row] = masked_or(shifted(plane, by + 7), kMask << 8, a[row]);
      if constexpr (kZero != 0) a[row] ^= kInt8Signs;
    }
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < Low::kBytes / 4) return Low::template word<Blocks>(tile, w);
    const int lane = (w - Low::kBytes / 4) / kPlanes;
    const int first_step = w % kPlanes * 4;
    uint32_t word = 0;
    for (int i = 0; i < 32; ++i) {
      const int r = i / 2 % 4;
      const int j = i / 8 * 2 + r / 2;
      const int at = (j < 4 ? j : j + 4) + 4 * (r % 2) + 16 * (i % 2);
      word |= (code_at<Blocks>(tile, lane, first_step + i / 8, r, i % 2) >> 4 & 1u) << at;
    }
    return word;
  }
};

/// Q6_K's: nibbles, then two runs with planes of the codes' upper two bits, a word for two steps.
/// As in FiveBitCodes, with the first bit 0, 2, 8, 10 for j = 2 s + i.
struct SixBitCodes {
  static constexpr int kInputs = 256;
  using Low = Nibbles<kInputs, 32>;
  using High = RunWords<2>;
  static constexpr int kBytes = Low::kBytes + High::kBytes;
  Low low;
  High high;

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    low.load(at, lane);
    high.load(at + Low::kBytes, lane);
  }
  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
    const uint32_t plane = high.words[step / 2];
    uint32_t pairs[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int j = 2 * (step % 2) + i;
      pairs[i] = j < 2 ? plane << (4 - 2 * j) : plane >> (2 * j);
    }
    low.take_with<2>(pairs, step, q);
  }
  static constexpr int kInt8Down = 2;
  __device__ __forceinline__ void int8_codes(int step, uint32_t (&a)[2]) const {
    const uint32_t plane = high.words[step / 2];
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const int by = 6 - step % 2 * 8 - 4 * row;
      a[row] = masked_or(shifted(plane, by), 0x00c000c0u, low.nibble_bytes<2>(step, row));
      a[row] = masked_or(shifted(plane, by + 6), 0xc000c000u, a[row]) ^ kInt8Signs;
    }
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < Low::kBytes / 4) return Low::word<Blocks>(tile, w);
    const RunPlace place(w - Low::kBytes / 4);
    uint32_t word = 0;
    for (int i = 0; i < 16; ++i) {
      const int r = i / 2 % 4;
      const int j = i / 8 * 2 + r / 2;
      const int at = (j < 2 ? 2 * j : 2 * j + 4) + 4 * (r % 2) + 16 * (i % 2);
      word |= (code_at<Blocks>(tile, place.lane, 2 * place.word + i / 8, r, i % 2) >> 4 & 3u) << at;
    }
    return word;
  }
};

/// Q2_K's, a word for two steps: the code of register r of the s-th step begins at bit 8 s + 2 r of
/// each half.
struct TwoBitCodes : RunWords<2> {
  static constexpr int kInputs = 256;

  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
    const uint32_t word = words[step / 2] >> (step % 2 * 8);
    q[0] = take_codes<2, 0, 0>(word);
    q[1] = take_codes<2, 2, 0>(word);
    q[2] = take_codes<2, 4, 0>(word);
    q[3] = take_codes<2, 6, 0>(word);
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const RunPlace place(w);
    uint32_t word = 0;
    for (int i = 0; i < 16; ++i) {
      const int r = i / 2 % 4;
      const int at = 8 * (i / 8) + 2 * r + 16 * (i % 2);
      word |= code_at<Blocks>(tile, place.lane, 2 * place.word + i / 8, r, i % 2) << at;
    }
    return word;
  }
};

/// Q3_K's, minus 4: three words for four steps; each half of a word has five codes from bit 0 on
/// and one more bit. The codes are in the order of registers 4 s + r, s the step of four; the
/// sixteenth is in bit 15 of the three words.
struct ThreeBitCodes : RunWords<3> {
  static constexpr int kInputs = 256;

  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
    const int first = step / 4 * 3;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int index = step % 4 * 4 + r;
      q[r] = index < 15 ? code(words[first + index / 5], index % 5)
                        : last_code(words[first], words[first + 1], words[first + 2]);
    }
  }
  static constexpr int kInt8Down = 5;
  __device__ __forceinline__ void int8_codes(int step, uint32_t (&a)[2]) const {
    const uint32_t* const of_four = words + step / 4 * 3;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const int first = step % 4 * 4 + row;
      const int second = first + 2;
      a[row] = shifted(of_four[first / 5], 5 - first % 5 * 3) & 0x00e000e0u;
      if (second < 15) {
        a[row] = masked_or(shifted(of_four[second / 5], 13 - second % 5 * 3), 0xe000e000u, a[row]);
      } else {
        a[row] = masked_or(of_four[0] >> 2, 0x20002000u, a[row]);
        a[row] = masked_or(of_four[1] >> 1, 0x40004000u, a[row]);
        a[row] = masked_or(of_four[2], 0x80008000u, a[row]);
      }
      a[row] ^= kInt8Signs;
    }
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const RunPlace place(w);
    const int first_step = place.word / 3 * 4;
    const int third = place.word % 3;
    uint32_t word = 0;
    for (int h = 0; h < 2; ++h) {
      for (int i = 0; i < 5; ++i) {
        const int index = 5 * third + i;
        word |= code_at<Blocks>(tile, place.lane, first_step + index / 4, index % 4, h)
                << (3 * i + 16 * h);
      }
      const uint32_t last = code_at<Blocks>(tile, place.lane, first_step + 3, 3, h);
      word |= (last >> third & 1u) << (15 + 16 * h);
    }
    return word;
  }

 private:
  __device__ __forceinline__ static uint32_t code(uint32_t word, int place) {
    switch (place) {
      case 0:
        return take_codes<3, 0, 4>(word);
      case 1:
        return take_codes<3, 3, 4>(word);
      case 2:
        return take_codes<3, 6, 4>(word);
      case 3:
        return take_codes<3, 0, 4>(word >> 9);
      default:
        return take_codes<3, 3, 4>(word >> 9);
    }
  }
  __device__ __forceinline__ static uint32_t last_code(uint32_t w0, uint32_t w1, uint32_t w2) {
    const uint32_t low = masked_or(w0 >> 15, 0x00010001u, kF16x2Magic);
    const uint32_t middle = masked_or(w1 >> 14, 0x00020002u, low);
    return centred<0, 4>(masked_or(w2 >> 13, 0x00040004u, middle));
  }
};

/// For __byte_perm: the bytes of rows g and g + 8 in two words, each of registers 2 i and 2 i + 1.
inline constexpr uint32_t kRowBytes = 0x5140;
inline constexpr uint32_t kNextRowBytes = 0x7362;

/// Q8_0's, minus 128 and times 2^-kDown, two words for each step: byte h + 2 (r % 2) of word r / 2
/// is the code for half h of register r.
template <int kDown>
struct ScaledByteCodes : RunWords<2> {
  static constexpr int kInputs = 64;

  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
#pragma unroll
    for (int r = 0; r < 4; ++r) q[r] = take_bytes<128, kDown>(words[2 * step + r / 2], r % 2);
  }
  static constexpr int kInt8Down = kDown;
  __device__ __forceinline__ void int8_codes(int step, uint32_t (&a)[2]) const {
    a[0] = __byte_perm(words[2 * step], words[2 * step + 1], kRowBytes) ^ kInt8Signs;
    a[1] = __byte_perm(words[2 * step], words[2 * step + 1], kNextRowBytes) ^ kInt8Signs;
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const RunPlace place(w);
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
      const int r = place.word % 2 * 2 + i / 2;
      word |= code_at<Blocks>(tile, place.lane, place.word / 2, r, i % 2) << (8 * i);
    }
    return word;
  }
};

using ByteCodes = ScaledByteCodes<0>;

}  // namespace quire::cuda
