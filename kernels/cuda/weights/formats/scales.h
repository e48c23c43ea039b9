#pragma once

#include <type_traits>

#include "kernels/cuda/weights/formats/codes.h"

/// The scales and minima of quantised formats: sections after a unit's codes (codes.h). Each has
/// kBytes, load() and word() like a section of codes, and apply(q, step, a): a = scale * q, plus
/// the minimum if there is one, rounded once, for the codes of a step. For int8 products:
/// kPartInputs (16 or 32), kHasMinima, and steps(part, origin) and minima_of(part, origin), those
/// of rows g and g + 8 in f32, exact.
namespace quire::cuda {

/// a = q * scale; registers 0 and 2 are of row g, 1 and 3 of row g + 8.
__device__ __forceinline__ void scale_codes(const uint32_t (&q)[4], uint32_t scale_g,
                                            uint32_t scale_g8, uint32_t (&a)[4]) {
#pragma unroll
  for (int r = 0; r < 4; ++r) a[r] = fma_f16x2(q[r], r % 2 == 0 ? scale_g : scale_g8, kF16x2Zero);
}

/// a = q * scale + minimum.
__device__ __forceinline__ void scale_codes(const uint32_t (&q)[4], uint32_t scale_g,
                                            uint32_t scale_g8, uint32_t minimum_g,
                                            uint32_t minimum_g8, uint32_t (&a)[4]) {
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    a[r] = fma_f16x2(q[r], r % 2 == 0 ? scale_g : scale_g8, r % 2 == 0 ? minimum_g : minimum_g8);
  }
}

/// Both halves in f32.
__device__ __forceinline__ float2 widen(uint32_t halves) {
  return make_float2(f16_to_float(static_cast<uint16_t>(halves)),
                     f16_to_float(static_cast<uint16_t>(halves >> 16)));
}
/// Byte `which` of a word, minus kZero. origin: kOriginBits, in a register.
template <int kZero>
__device__ __forceinline__ float byte_to_float(uint32_t word, int which, uint32_t origin) {
  const uint32_t bits = __byte_perm(word, origin, 0x7650u | static_cast<uint32_t>(which));
  return __uint_as_float(bits) - (kOriginNumber + static_cast<float>(kZero));
}

// Blocks of 32: a unit of 64 inputs has two blocks of each row. -----------------------------------

/// For each g < 8, the scales of rows g and g + 8 in the first block, then in the second.
struct BlockScales {
  static constexpr int kBytes = 64;
  static constexpr int kPartInputs = 32;
  static constexpr bool kHasMinima = false;
  uint32_t blocks[2];

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    const uint2 loaded = __ldcs(reinterpret_cast<const uint2*>(at) + lane / 4);
    blocks[0] = loaded.x;
    blocks[1] = loaded.y;
  }
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    scale_codes(q, low_twice(blocks[step / 2]), high_twice(blocks[step / 2]), a);
  }
  __device__ __forceinline__ float2 steps(int part, uint32_t) const { return widen(blocks[part]); }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    return tile.scale<Blocks>(w / 2, w % 2) | tile.scale<Blocks>(w / 2 + 8, w % 2) << 16;
  }
};

/// As BlockScales, followed by the four minima of those rows.
struct BlockScalesAndMinima {
  static constexpr int kBytes = 128;
  static constexpr int kPartInputs = 32;
  static constexpr bool kHasMinima = true;
  uint32_t scales[2];
  uint32_t minima[2];

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    const uint4 loaded = __ldcs(reinterpret_cast<const uint4*>(at) + lane / 4);
    scales[0] = loaded.x;
    scales[1] = loaded.y;
    minima[0] = loaded.z;
    minima[1] = loaded.w;
  }
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    const uint32_t scale = scales[step / 2];
    const uint32_t minimum = minima[step / 2];
    scale_codes(q, low_twice(scale), high_twice(scale), low_twice(minimum), high_twice(minimum), a);
  }
  __device__ __forceinline__ float2 steps(int part, uint32_t) const { return widen(scales[part]); }
  __device__ __forceinline__ float2 minima_of(int part, uint32_t) const {
    return widen(minima[part]);
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const int g = w / 4;
    if (w % 4 < 2) return BlockScales::word<Blocks>(tile, 2 * g + w % 2);
    return tile.minimum<Blocks>(g, w % 2) | tile.minimum<Blocks>(g + 8, w % 2) << 16;
  }
};

// Blocks of 256: parts of 16 or 32 inputs have scales (and minima) of a few bits, which are
// multiplied by the block's scale d (and dmin). A unit is one block of each row: first the part
// scales of the 16 rows, then, for each g < 8, d (and dmin) of rows g and g + 8. d * part scale and
// dmin * part minimum are rounded to f16. ---------------------------------------------------------

/// 4 kWords bytes of part scales for each row.
template <int kWords>
struct PartScales {
  static constexpr int kBytes = 16 * 4 * kWords;
  uint32_t row_g[kWords];
  uint32_t row_g8[kWords];

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    using Row = std::conditional_t<kWords == 4, uint4, uint2>;
    const auto* const rows = reinterpret_cast<const Row*>(at) + lane / 4;
    copy(__ldcs(rows), row_g);
    copy(__ldcs(rows + 8), row_g8);
  }
  /// Byte p of a row's parts is part p.
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) {
      word |= tile.part<Blocks>(w / kWords, w % kWords * 4 + i) << (8 * i);
    }
    return word;
  }

 private:
  __device__ __forceinline__ static void copy(uint2 from, uint32_t (&to)[2]) {
    to[0] = from.x;
    to[1] = from.y;
  }
  __device__ __forceinline__ static void copy(uint4 from, uint32_t (&to)[4]) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
    to[3] = from.w;
  }
};

/// Q3_K, Q6_K (kPartSteps 1) and IQ4_XS (kPartSteps 2): byte p of a row's parts is 128 more than
/// the scale of part p, of kPartSteps * 16 inputs. Then, for each g < 8, d of rows g and g + 8.
template <int kPartSteps>
struct SignedScales {
  using Parts = PartScales<4 / kPartSteps>;
  static constexpr int kBytes = Parts::kBytes + 32;
  static constexpr int kPartInputs = 16 * kPartSteps;
  static constexpr bool kHasMinima = false;
  Parts parts;
  uint32_t blocks;

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    parts.load(at, lane);
    blocks = __ldcs(reinterpret_cast<const unsigned*>(at + Parts::kBytes) + lane / 4);
  }
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    // The scales of this part and of its neighbour, which the compiler computes once for both.
    const int part = step / kPartSteps;
    const uint32_t g = fma_f16x2(take_bytes<128>(parts.row_g[part / 4], part / 2 % 2),
                                 low_twice(blocks), kF16x2Zero);
    const uint32_t g8 = fma_f16x2(take_bytes<128>(parts.row_g8[part / 4], part / 2 % 2),
                                  high_twice(blocks), kF16x2Zero);
    if (part % 2 == 0) {
      scale_codes(q, low_twice(g), low_twice(g8), a);
    } else {
      scale_codes(q, high_twice(g), high_twice(g8), a);
    }
  }
  __device__ __forceinline__ float2 steps(int part, uint32_t origin) const {
    const float2 of_blocks = widen(blocks);
    return make_float2(of_blocks.x * byte_to_float<128>(parts.row_g[part / 4], part % 4, origin),
                       of_blocks.y * byte_to_float<128>(parts.row_g8[part / 4], part % 4, origin));
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    const int g = w - Parts::kBytes / 4;
    if (g < 0) return Parts::template word<Blocks>(tile, w);
    return tile.scale<Blocks>(g, 0) | tile.scale<Blocks>(g + 8, 0) << 16;
  }
};

/// What the formats with minima share: 16 bytes of parts a row, then (d, -dmin) of rows g and g
/// + 8.
struct MinimumScales {
  using Parts = PartScales<4>;
  static constexpr int kBytes = Parts::kBytes + 64;
  static constexpr bool kHasMinima = true;
  Parts parts;
  uint2 blocks;

  __device__ __forceinline__ void load(const uint8_t* at, int lane) {
    parts.load(at, lane);
    blocks = __ldcs(reinterpret_cast<const uint2*>(at + Parts::kBytes) + lane / 4);
  }
  /// parts_g, parts_g8: a part's scale and minimum as halves.
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], uint32_t parts_g, uint32_t parts_g8,
                                        uint32_t (&a)[4]) const {
    const uint32_t g = fma_f16x2(parts_g, blocks.x, kF16x2Zero);
    const uint32_t g8 = fma_f16x2(parts_g8, blocks.y, kF16x2Zero);
    scale_codes(q, low_twice(g), low_twice(g8), high_twice(g), high_twice(g8), a);
  }
  template <typename Blocks>
  __device__ static uint32_t block_word(const RawTile& tile, int w) {
    const int row = w / 2 + 8 * (w % 2);
    return tile.scale<Blocks>(row, 0) | (tile.minimum<Blocks>(row, 0) ^ 0x8000u) << 16;
  }
};

/// Q4_K and Q5_K: bytes 2 p and 2 p + 1 of a row's parts are scale and minimum of part p, of 32
/// inputs.
struct ScalesAndMinima : MinimumScales {
  static constexpr int kPartInputs = 32;
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    const int part = step / 2;
    MinimumScales::apply(q, take_bytes<0>(parts.row_g[part / 2], part % 2),
                         take_bytes<0>(parts.row_g8[part / 2], part % 2), a);
  }
  __device__ __forceinline__ float2 steps(int part, uint32_t origin) const {
    return scaled(part / 2, part % 2 * 2, widen(blocks.x).x, widen(blocks.y).x, origin);
  }
  __device__ __forceinline__ float2 minima_of(int part, uint32_t origin) const {
    return scaled(part / 2, part % 2 * 2 + 1, widen(blocks.x).y, widen(blocks.y).y, origin);
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w >= Parts::kBytes / 4) return block_word<Blocks>(tile, w - Parts::kBytes / 4);
    return tile.part<Blocks>(w / 4, w % 4 * 2) | tile.part<Blocks>(w / 4, w % 4 * 2 + 1) << 16;
  }

 private:
  __device__ __forceinline__ float2 scaled(int word, int byte, float of_g, float of_g8,
                                           uint32_t origin) const {
    return make_float2(of_g * byte_to_float<0>(parts.row_g[word], byte, origin),
                       of_g8 * byte_to_float<0>(parts.row_g8[word], byte, origin));
  }
};

/// Q2_K: byte p of a row's parts is the file's: scale of part p, of 16 inputs, in the lower four
/// bits, minimum in the upper.
struct NibbleScalesAndMinima : MinimumScales {
  __device__ __forceinline__ void apply(const uint32_t (&q)[4], int step, uint32_t (&a)[4]) const {
    MinimumScales::apply(q, part(parts.row_g[step / 4], step % 4),
                         part(parts.row_g8[step / 4], step % 4), a);
  }
  template <typename Blocks>
  __device__ static uint32_t word(const RawTile& tile, int w) {
    if (w < Parts::kBytes / 4) return Parts::word<Blocks>(tile, w);
    return block_word<Blocks>(tile, w - Parts::kBytes / 4);
  }

 private:
  __device__ __forceinline__ static uint32_t part(uint32_t word, int which) {
    constexpr uint32_t kFactors = (f16_twice(1.0f) & 0xffffu) | (f16_twice(0.0625f) & 0xffff0000u);
    constexpr uint32_t kAddends =
        (f16_twice(-1024.0f) & 0xffffu) | (f16_twice(-64.0f) & 0xffff0000u);
    const uint32_t twice = __byte_perm(word, 0, 0x4040 | which | which << 8);
    return fma_f16x2(masked_or(twice, 0x00f0000fu, kF16x2Magic), kFactors, kAddends);
  }
};

// A whole format. ---------------------------------------------------------------------------------

/// GGUF's quantised types: a unit is a section of codes, then one of scales. Fragments are f16, and
/// infinite beyond 65,504. A value differs from that of dequantize_row
///   - with blocks of 32 by at most 2^-11 of itself, or 2^-25 if that is more: it is rounded once;
///   - with blocks of 256 and minima by at most 2^-11 of each of |scale * code|, |minimum| and
///     itself, or for each of these 2^-25 (times the code, for the scale) if that is more;
///   - with blocks of 256 without minima by at most 2^-10 of itself, or 2^-25 (times the code's
///     largest value, for the scale) if that is more.
/// kAsInt8: whether it has int8_codes() as well, in which values are exact (Int8Gemm).
template <typename Blocks, typename Codes, typename Scales, bool kAsInt8 = true>
struct QuantizedFormat {
  static constexpr Half kHalf = Half::kF16;
  static constexpr int kUnitInputs = Codes::kInputs;
  static constexpr int kUnitBytes = Codes::kBytes + Scales::kBytes;
  static constexpr bool kHasInt8Gemm = kAsInt8;

  struct Unit {
    Codes codes;
    Scales scales;
  };

  __device__ __forceinline__ static Unit load(const uint8_t* unit, int lane) {
    Unit loaded;
    loaded.codes.load(unit, lane);
    loaded.scales.load(unit + Codes::kBytes, lane);
    return loaded;
  }
  __device__ __forceinline__ static void fragment(const Unit& unit, int step, uint32_t (&a)[4]) {
    uint32_t q[4];
    unit.codes.take(step, q);
    unit.scales.apply(q, step, a);
  }
  static constexpr int kPartInputs = Scales::kPartInputs;
  static constexpr bool kHasMinima = Scales::kHasMinima;
  __device__ __forceinline__ static void int8_codes(const Unit& unit, int step, uint32_t (&a)[2]) {
    unit.codes.int8_codes(step, a);
  }
  __device__ __forceinline__ static float2 steps(const Unit& unit, int part, uint32_t origin) {
    constexpr float kFactor = 1.0f / static_cast<float>(1 << Codes::kInt8Down);
    const float2 steps = unit.scales.steps(part, origin);
    return make_float2(steps.x * kFactor, steps.y * kFactor);
  }
  __device__ __forceinline__ static float2 minima(const Unit& unit, int part, uint32_t origin) {
    return unit.scales.minima_of(part, origin);
  }
  __device__ static uint32_t word(const RawTile& tile, int w) {
    constexpr int kCodeWords = Codes::kBytes / 4;
    if (w < kCodeWords) return Codes::template word<Blocks>(tile, w);
    return Scales::template word<Blocks>(tile, w - kCodeWords);
  }
};

}  // namespace quire::cuda
