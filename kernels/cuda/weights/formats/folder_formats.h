#pragma once

#include "kernels/base/quant_blocks.h"
#include "kernels/cuda/weights/formats/scales.h"
#include "kernels/cuda/weights/formats/table_codes.h"

/// The types that folders of Hugging Face are read into (GPTQ, AWQ, compressed-tensors, FP8,
/// bitsandbytes) and NVFP4: codes in the order of the lanes, and a scale a row for each block of 16
/// or more inputs. Blocks of 128 are two units, each with the block's scale.
///
/// Scales in f32 are rounded to f16. They are stored times a power of two, by whose inverse the
/// codes are multiplied without another instruction, so that scales from 2^-22 (NF4: 2^-14) on keep
/// all bits of an f16. Parts with scales that are too large for that are stored in f32
/// (stored_dtype).
namespace quire::cuda {

// Blocks as in files. -----------------------------------------------------------------------------

/// A block's f32 scale times kFactor as f16.
template <int kFactor>
__device__ __forceinline__ uint32_t raw_f32_scale(const uint8_t* b) {
  return float_to_f16(blocks::float_of(blocks::u32_at(b)) * static_cast<float>(kFactor));
}

struct Int8Blocks {
  static constexpr int kElements = blocks::Int8::kElements;
  static constexpr int kBytes = blocks::Int8::kBytes;
  static constexpr int kDown = 6;  ///< Codes are multiplied by 2^-kDown, scales by 2^kDown.
  /// 128 more than the signed byte.
  __device__ static uint32_t code(const uint8_t* b, int i) { return b[4 + i] ^ 0x80u; }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_f32_scale<1 << kDown>(b); }
};

struct Fp8Blocks {
  static constexpr int kElements = blocks::Fp8::kElements;
  static constexpr int kBytes = blocks::Fp8::kBytes;
  __device__ static uint32_t code(const uint8_t* b, int i) { return b[4 + i]; }
  /// Codes become their numbers times 2^-8. With a NaN among them the block's scale is NaN, as the
  /// sums with the block are.
  __device__ static uint32_t scale(const uint8_t* b) {
    for (int i = 0; i < kElements; ++i) {
      if ((code(b, i) & 127u) == 127u) return 0x7e00u;
    }
    return raw_f32_scale<256>(b);
  }
};

struct Nf4Blocks {
  static constexpr int kElements = blocks::Nf4::kElements;
  static constexpr int kBytes = blocks::Nf4::kBytes;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_nibble(b + 4 + i / 32 * 16, i % 32);
  }
  __device__ static uint32_t scale(const uint8_t* b) { return raw_f32_scale<1>(b); }
};

template <int kGroup>
struct Int4Blocks {
  static constexpr int kElements = kGroup;
  static constexpr int kBytes = blocks::Int4<kGroup>::kBytes;
  static constexpr int kDown = 5;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_nibble(b + 3 + i / 32 * 16, i % 32);
  }
  __device__ static uint32_t zero(const uint8_t* b) { return b[2] & 31u; }
  /// The file's f16 or bf16 times 2^kDown, exactly from 2^-19 on.
  __device__ static uint32_t scale(const uint8_t* b) {
    const auto bits = static_cast<uint16_t>(raw_u16(b));
    const float scale = (b[2] & 128) != 0 ? bf16_to_float(bits) : f16_to_float(bits);
    return float_to_f16(scale * static_cast<float>(1 << kDown));
  }
};

struct Nvfp4Blocks {
  static constexpr int kElements = blocks::Nvfp4::kElements;
  static constexpr int kBytes = blocks::Nvfp4::kBytes;
  __device__ static uint32_t code(const uint8_t* b, int i) {
    return raw_bits<4>(b[4 + i / 16 * 8 + i % 8], i % 16 / 8 * 4);
  }
  /// The E4M3 scale of 16 elements, without a sign; NaN is zero, as in ggml.
  __device__ static uint32_t part(const uint8_t* b, int p) { return b[p] == 127 ? 0 : b[p] & 127u; }
};

// Sections of codes and scales (codes.h, scales.h). -----------------------------------------------

/// E4M3 numbers times 2^-8, in the order of ByteCodes: the f16 of the same bits, whose exponent
/// bias is 15 instead of 7.
struct Fp8Codes : RunWords<2> {
  static constexpr int kInputs = 64;

  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const uint32_t upper = __byte_perm(words[2 * step + r / 2], 0, r % 2 == 0 ? 0x1404 : 0x3424);
      q[r] = masked_or(upper, 0x80008000u, upper >> 1 & 0x3f803f80u);
    }
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    return ByteCodes::word<Blocks>(tile, w);
  }
};

/// The numbers of NF4's codes (arXiv:2305.14314, appendix E) as f16.
inline constexpr uint16_t kNf4Halves[16] = {0xbc00, 0xb992, 0xb833, 0xb652, 0xb48d, 0xb1ea,
                                            0xadd4, 0x0000, 0x2d18, 0x3126, 0x33e0, 0x3568,
                                            0x370d, 0x3880, 0x39c9, 0x3c00};
/// Four of kNf4Halves' lower bytes, or with shift 8 the upper, in a word.
__host__ __device__ constexpr uint32_t nf4_word(int first, int shift) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= static_cast<uint32_t>(kNf4Halves[first + i] >> shift & 255) << (8 * i);
  }
  return word;
}

/// In the order of Iq4Codes; take() gives the numbers.
struct Nf4Codes : Iq4Codes<64> {
  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
    constexpr uint32_t kLower[4] = {nf4_word(0, 0), nf4_word(4, 0), nf4_word(8, 0),
                                    nf4_word(12, 0)};
    constexpr uint32_t kUpper[4] = {nf4_word(0, 8), nf4_word(4, 8), nf4_word(8, 8),
                                    nf4_word(12, 8)};
    const NibbleSelectors codes(words[step]);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t lower = codes.look_up(i, kLower);
      const uint32_t upper = codes.look_up(i, kUpper);
      q[2 * i] = __byte_perm(lower, upper, 0x5140);
      q[2 * i + 1] = __byte_perm(lower, upper, 0x7362);
    }
  }
};

/// E2M1 numbers, in the order of Nibbles.
struct E2m1Codes : Nibbles<64, 0> {
  static constexpr int kInt8Down = 1;
  __device__ __forceinline__ void int8_codes(int step, uint32_t (&a)[2]) const {
    e2m1_bytes(words[step], a);
  }
  __device__ __forceinline__ void take(int step, uint32_t (&q)[4]) const {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      q[r] = fma_f16x2(e2m1_halves<10>(words[step], r), f16_twice(0x1p14f), kF16x2Zero);
    }
  }
};

/// For each g < 8, the scales of rows g and g + 8 in the unit's only block.
struct RowScales {
  static constexpr int kBytes = 32;
  static constexpr int kPartInputs = 32;
  static constexpr bool kHasMinima = false;
  uint32_t scales;

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    scales = __ldcs(reinterpret_cast<const unsigned*>(at) + lane / 4);
  }
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int, uint32_t (&a)[4]) const {
    scale_codes(q, low_twice(scales), high_twice(scales), a);
  }
  __device__ __forceinline__ float2 steps(int, uint32_t) const { return widen(scales); }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    return tile.scale<Blocks>(w, 0) | tile.scale<Blocks>(w + 8, 0) << 16;
  }
};

/// For each g < 8, the E4M3 scales of four steps in row g, then of row g + 8.
struct E4m3Scales {
  static constexpr int kBytes = 64;
  static constexpr int kPartInputs = 16;
  static constexpr bool kHasMinima = false;
  uint2 rows;

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    rows = __ldcs(reinterpret_cast<const uint2*>(at) + lane / 4);
  }
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    scale_codes(q, scale(rows.x, step), scale(rows.y, step), a);
  }
  __device__ __forceinline__ float2 steps(int part, uint32_t) const {
    return make_float2(f16_to_float(static_cast<uint16_t>(scale(rows.x, part))),
                       f16_to_float(static_cast<uint16_t>(scale(rows.y, part))));
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word |= tile.part<Blocks>(w / 2 + w % 2 * 8, i) << (8 * i);
    return word;
  }

 private:
  __device__ __forceinline__ static uint32_t scale(uint32_t bytes, int step) {
    const uint32_t upper = __byte_perm(bytes, 0, 0x0404 | step << 4 | step << 12);
    return fma_f16x2(upper >> 1, f16_twice(256.0f), kF16x2Zero);
  }
};

// Formats. ----------------------------------------------------------------------------------------

// Bits per weight: 8.25, 8.25, 4.25, 4.5. Values differ from those of dequantize_row by at most
// 2^-10 of themselves (NF4: 1.5 times 2^-10), plus 2^-25 (NF4: 2^-24) where they are no normal f16;
// NVFP4 by nothing.
struct Int8Format : QuantizedFormat<Int8Blocks, ScaledByteCodes<Int8Blocks::kDown>, RowScales> {};
struct Fp8Format : QuantizedFormat<Fp8Blocks, Fp8Codes, RowScales, false> {};
struct Nf4Format : QuantizedFormat<Nf4Blocks, Nf4Codes, RowScales, false> {};
struct Nvfp4Format : QuantizedFormat<Nvfp4Blocks, E2m1Codes, E4m3Scales> {};

/// Nibbles minus a zero point of each block: 4.75 bits for blocks of 32, otherwise 4.375. A unit is
/// the codes in the order of Nibbles; for each g < 8 the scales of rows g and g + 8 in the first
/// block, then in the second; then their zero points in the same order, a byte each. A value is
/// rounded once, if its scale is a multiple of 2^-29.
template <int kGroup>
struct Int4Format {
  using Blocks = Int4Blocks<kGroup>;
  using Codes = Nibbles<64, 0>;
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = Codes::kInputs;
  static constexpr int kBlocks = kGroup == 32 ? 2 : 1;  ///< Of a row in a unit.
  static constexpr int kScaleBytes = 32 * kBlocks;
  static constexpr int kUnitBytes = Codes::kBytes + kScaleBytes + 16 * kBlocks;
  using ScalesOfLane = std::conditional_t<kBlocks == 2, uint2, uint32_t>;
  using ZerosOfLane = std::conditional_t<kBlocks == 2, uint32_t, uint16_t>;

  struct Unit {
    Codes codes;
    uint32_t scales[kBlocks];
    uint32_t zeros;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    loaded.codes.load(unit, lane);
    const uint8_t* const scales = unit + Codes::kBytes;
    const auto of_lane = __ldcs(reinterpret_cast<const ScalesOfLane*>(scales) + lane / 4);
    if constexpr (kBlocks == 2) {
      loaded.scales[0] = of_lane.x;
      loaded.scales[1] = of_lane.y;
    } else {
      loaded.scales[0] = of_lane;
    }
    loaded.zeros = __ldcs(reinterpret_cast<const ZerosOfLane*>(scales + kScaleBytes) + lane / 4);
    return loaded;
  }

  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    constexpr float kUnit = 1.0f / static_cast<float>(1 << Blocks::kDown);
    const int block = kBlocks == 2 ? step / 2 : 0;
    // Codes of row g are 1024 + code in their halves, those of row g + 8 are 1024 + 16 code.
    const uint32_t g = fma_f16x2(zero(unit, 2 * block), f16_twice(-kUnit), kF16x2Zero);
    const uint32_t g8 =
        fma_f16x2(zero(unit, 2 * block + 1), f16_twice(-kUnit), f16_twice(960.0f * kUnit));
    const uint32_t word = unit.codes.words[step];
    uint32_t q[4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t nibbles = i == 0 ? word : word >> 8;
      q[2 * i] = fma_f16x2(masked_or(nibbles, 0x000f000fu, kF16x2Magic), f16_twice(kUnit), g);
      q[2 * i + 1] =
          fma_f16x2(masked_or(nibbles, 0x00f000f0u, kF16x2Magic), f16_twice(kUnit / 16.0f), g8);
    }
    scale_codes(q, low_twice(unit.scales[block]), high_twice(unit.scales[block]), a);
  }

  static constexpr bool kHasInt8Gemm = true;
  static constexpr int kPartInputs = 32;
  static constexpr bool kHasMinima = true;
  __device__ __forceinline__ static void int8_codes(const Unit& unit, int step, uint32_t (&a)[2]) {
    unit.codes.int8_codes(step, a);
  }
  __device__ __forceinline__ static float2 steps(const Unit& unit, int part, uint32_t /*origin*/) {
    constexpr float kFactor = 1.0f / static_cast<float>(1 << Blocks::kDown);
    const float2 scales = widen(unit.scales[part % kBlocks]);
    return make_float2(scales.x * kFactor, scales.y * kFactor);
  }
  __device__ __forceinline__ static float2 minima(const Unit& unit, int part, uint32_t origin) {
    const int block = part % kBlocks;
    const float2 steps_of_block = steps(unit, part, origin);
    return make_float2(-steps_of_block.x * byte_to_float<0>(unit.zeros, 2 * block, origin),
                       -steps_of_block.y * byte_to_float<0>(unit.zeros, 2 * block + 1, origin));
  }

  __device__ static uint32_t word(const RawTile& tile, int w) {
    constexpr int kCodeWords = Codes::kBytes / 4;
    constexpr int kScaleWords = kScaleBytes / 4;
    if (w < kCodeWords) return Codes::word<Blocks>(tile, w);
    w -= kCodeWords;
    if (w < kScaleWords) {
      return tile.scale<Blocks>(w / kBlocks, w % kBlocks) |
             tile.scale<Blocks>(w / kBlocks + 8, w % kBlocks) << 16;
    }
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
      const int at = 4 * (w - kScaleWords) + i;
      const int g = at / (2 * kBlocks);
      const uint8_t* const b = tile.block<Blocks>(g + at % 2 * 8, at / 2 % kBlocks);
      if (b != nullptr) word |= Blocks::zero(b) << (8 * i);
    }
    return word;
  }

 private:
  /// 1024 + a zero point in both halves.
  __device__ __forceinline__ static uint32_t zero(const Unit& unit, int which) {
    return __byte_perm(unit.zeros, kMagicBytes, 0x4040 | which | which << 8);
  }
};

}  // namespace quire::cuda
