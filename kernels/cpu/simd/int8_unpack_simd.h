#pragma once

// A chunk of a panel unpacked into 8-bit codes and scales, and the dot products of these codes;
// included only by int8_gemm_simd.h. The codes of four inputs of an output are adjacent, as the
// dot-product instructions require.

#include "kernels/cpu/simd/block_formats_simd.h"
#include "kernels/cpu/simd/grid_formats_simd.h"

namespace quire::cpu {
namespace {

inline constexpr int kQuads = kChunkInputs / 4;
inline constexpr int kMostGroups = kChunkInputs / 16;

/// One chunk of a panel.
struct UnpackedChunk {
  alignas(64) uint8_t codes[kQuads][4 * kPanelColumns];
  alignas(64) float steps[kMostGroups][kPanelColumns];
  alignas(64) float offsets[kMostGroups][kPanelColumns];
};

/// Whether a format's codes are multiplied as signed bytes on V, or made unsigned by adding a bias.
template <class V, class Format>
struct Int8Codes {
  static constexpr bool kSigned = Format::kBias == 128 && !V::kDotsAllBytes;
  static constexpr int kBias = kSigned ? 0 : Format::kBias;
};

/// Codes as numbers, code - bias, of four vectors of outputs.
template <class V>
inline void widen_codes(typename V::B codes, int bias, typename V::F (&numbers)[4]) {
  typename V::I wide[4];
  V::widen_b(codes, wide);
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) numbers[v] = V::to_float(V::sub_i(wide[v], V::set1_i(bias)));
}

/// The scales of blocks or groups, of four vectors of outputs.
template <class V>
struct QuadScales {
  typename V::F steps[4];
  typename V::F offsets[4];
};

template <class V, class Format>
inline QuadScales<V> unpack_heads(const uint8_t* block) {
  QuadScales<V> heads;
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) {
    const Scale<V> head = Format::template head<V>(block + v * V::kWidth);
    heads.steps[v] = head.step;
    heads.offsets[v] = head.offset;
  }
  return heads;
}

/// The factors of the block's scale for group g.
template <class V, class Format>
inline void scale_factors(const uint8_t* block, int column, int g, typename V::F (&numbers)[4]) {
  if constexpr (requires { Format::kHasFactors; }) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      numbers[v] = Format::template factor<V>(block, column + v * V::kWidth, g);
    }
  } else {
    widen_codes<V>(Format::template scale_code<V>(block + column, g), Format::kScaleBias, numbers);
  }
}

/// The scales of group g of a block with those heads, of the outputs from `column`. block: of the
/// panel's first output.
template <class V, class Format>
inline QuadScales<V> unpack_group(const uint8_t* block, int column, const QuadScales<V>& heads,
                                  int g) {
  if constexpr (Format::kScaleBias < 0) {
    return heads;
  } else {
    QuadScales<V> scales;
    typename V::F numbers[4];
    scale_factors<V, Format>(block, column, g, numbers);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) scales.steps[v] = V::mul(heads.steps[v], numbers[v]);
    if constexpr (Format::kHasOffset) {
      widen_codes<V>(Format::template offset_code<V>(block + column, g), 0, numbers);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        scales.offsets[v] = negated<V>(V::mul(heads.offsets[v], numbers[v]));
      }
    }
    return scales;
  }
}

/// Unpacks the scales of one block. first: the index of its first group in the chunk.
template <class V, class Format>
inline void unpack_scales(const uint8_t* block, int first, int column, UnpackedChunk& to) {
  const QuadScales<V> heads = unpack_heads<V, Format>(block + column);
  for (int g = 0; g < Format::kElements / Format::kGroup; ++g) {
    const QuadScales<V> scales = unpack_group<V, Format>(block, column, heads, g);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      V::store(to.steps[first + g] + column + v * V::kWidth, scales.steps[v]);
      if constexpr (Format::kHasOffset) {
        V::store(to.offsets[first + g] + column + v * V::kWidth, scales.offsets[v]);
      }
    }
  }
}

/// Whether a format's codes are those of transposed inputs (byte_table_formats_simd.h).
template <class Format>
constexpr bool transposes_inputs() {
  return requires {
    Format::kTransposed;
  };
}

/// The codes of inputs i to i + 3 of run r of section s, for a vector of outputs. codes: of the
/// first output.
template <class V, class Format, int kBias>
inline typename V::B unpack_quads(const uint8_t* codes, int s, int r, int i) {
  const typename V::B quads = Format::template codes<V>(codes, s, r, i);
  if constexpr (requires { Format::kIsBiased; }) return quads;
  return kBias == 0 ? quads : V::sub_b(quads, V::set1_b(-kBias));
}

/// unpack_codes() of a format whose sections share lookups: section by section.
template <class V, class Format, int kBias>
inline void unpack_sections(const uint8_t* block, int first, UnpackedChunk& to) {
  constexpr int kSectionQuads = 4 * Format::kSection;
  for (int s = 0; s < Format::kElements / (4 * kSectionQuads); ++s) {
    for (int column = 0; column < kPanelColumns; column += V::kWidth) {
      // All before the first store, which might change what the lookups read.
      typename V::B quads[kSectionQuads];
#pragma GCC unroll 8
      for (int i = 0; i < kSectionQuads; ++i) {
        quads[i] = unpack_quads<V, Format, kBias>(block + 4 * column, s, i / 4, i % 4 * 4);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kSectionQuads; ++i) {
        V::store_b(to.codes[first + kSectionQuads * s + i] + 4 * column, quads[i]);
      }
    }
  }
}

/// Unpacks the codes of one block. first: the index of its first quad in the chunk.
template <class V, class Format, int kBias>
inline void unpack_codes(const uint8_t* block, int first, UnpackedChunk& to) {
  if constexpr (transposes_inputs<Format>())
    return unpack_sections<V, Format, kBias>(block, first, to);
  for (int r = 0; r < Format::kElements / 16; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
#pragma GCC unroll 8
      for (int column = 0; column < kPanelColumns; column += V::kWidth) {
        V::store_b(to.codes[first + 4 * r + i / 4] + 4 * column,
                   unpack_quads<V, Format, kBias>(block + 4 * column, r / Format::kSection,
                                                  r % Format::kSection, i));
      }
    }
  }
}

/// Adds kBias to the codes. kHasCodes: whether codes are unpacked, or scales only.
template <class V, class Format, int kBias, bool kHasCodes = true>
void unpack_chunk(const void* chunk, int64_t length, UnpackedChunk& to) {
  const auto* block = static_cast<const uint8_t*>(chunk);
  for (int k = 0; k < length; k += Format::kElements) {
    for (int column = 0; column < kPanelColumns; column += 4 * V::kWidth) {
      unpack_scales<V, Format>(block, k / Format::kGroup, column, to);
    }
    if constexpr (kHasCodes) unpack_codes<V, Format, kBias>(block, k / 4, to);
    block += Format::kBytes * kPanelColumns;
  }
}

/// The properties of a format that the multiplication of unpacked codes depends on; formats with
/// the same ones share its code. Products of kRunQuads quads are summed in 16 bits before they are
/// widened; 1 if the processor has dot products of four bytes.
template <bool kIsSigned, bool kOffset, int kGroupInputs, bool kInterleaved, int kRun>
struct Int8Rules {
  static constexpr bool kSigned = kIsSigned;
  static constexpr bool kHasOffset = kOffset;
  static constexpr int kGroup = kGroupInputs;
  static constexpr int kRunQuads = kRun;
  static_assert(kGroup / 4 % kRunQuads == 0);
  /// The group that is added n-th: groups that share bytes are consecutive.
  static constexpr int64_t group(int64_t n) {
    return kInterleaved ? n / 8 * 8 + n % 4 * 2 + n / 4 % 2 : n;
  }
};

template <bool kSigned, int kRun, class Format>
using RulesFor = Int8Rules<kSigned, Format::kHasOffset, Format::kGroup, (Format::kApart > 1), kRun>;

/// The number of quads whose products can be summed in 16 bits.
template <bool kSigned, class Format>
constexpr int fitting_quads() {
  static_assert(Format::kApart == 1 || (Format::kApart == 2 && Format::kAlike == 4 &&
                                        Format::kSection * 16 / Format::kGroup == 8));
  constexpr int kFit = kSigned ? 1 : 32767 / (2 * 127 * Format::kMostCode);
  int quads = Format::kGroup / 4;
  while (quads > 1 && quads > kFit) quads /= 2;
  return quads;
}

template <class V, bool kSigned, class Format>
constexpr int narrow_quads() {
  if constexpr (requires { V::dot_pairs(typename V::B(), typename V::I()); }) {
    if (!V::kDotsAllBytes) return fitting_quads<kSigned, Format>();
  }
  return 1;
}

template <class V, class Format, bool kSigned = Int8Codes<V, Format>::kSigned>
using RulesOf = RulesFor<kSigned, narrow_quads<V, kSigned, Format>(), Format>;

/// Multiplies one quad of a run: adds the products to `sum` if a run is one quad, else to `pairs`.
template <class V, class Rules>
inline void dot_quad(bool begins_run, typename V::B codes, typename V::I inputs,
                     typename V::I& pairs, typename V::I& sum) {
  if constexpr (Rules::kRunQuads > 1) {
    const typename V::I products = V::dot_pairs(codes, inputs);
    pairs = begins_run ? products : V::add_pairs(pairs, products);
  } else {
    sum = Rules::kSigned ? V::dot_signed(sum, codes, inputs) : V::dot(sum, codes, inputs);
  }
}

/// Ends a run: adds its pairs to the sums.
template <class V, class Rules, int kCount>
inline void end_run(const typename V::I (&pairs)[kCount], typename V::I (&sums)[kCount]) {
  if constexpr (Rules::kRunQuads > 1) {
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) sums[i] = V::widen_pairs(sums[i], pairs[i]);
  }
}

/// Four neighbouring codes of a row, in all lanes.
template <class V>
inline typename V::I quad_of_inputs(const int8_t* codes) {
  int four;
  __builtin_memcpy(&four, codes, sizeof four);
  return V::set1_i(four);
}

/// The sum of group g's input codes.
template <class Rules>
inline int sum_of_group(const Int8Chunk& x, int g) {
  return Rules::kGroup == 16 ? x.sums[g] : x.sums[2 * g] + x.sums[2 * g + 1];
}

}  // namespace
}  // namespace quire::cpu
