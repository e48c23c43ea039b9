#pragma once

// The loop that dequantises a block for several vectors of outputs; included only by
// linear_types_simd.h.

#include "kernels/cpu/simd/block_formats_simd.h"

namespace quire::cpu {
namespace {

/// Vectors whose lanes have a byte in V::B.
inline constexpr int kByteVecs = 4;

/// How many blocks ahead of what is read is asked for: of blocks of 32 inputs the small ones'
/// eight, the others' two. That is four to thirteen kilobytes, so that reading does not stop at the
/// ends of pages. Measured: nearer or farther is slower.
template <class Format>
inline constexpr int kBlocksAhead = Format::kElements > 32 ? 1
                                    : Format::kBytes <= 24 ? 8
                                                           : 2;

/// Prefetches what run r of a block will read so far ahead.
template <class Format>
inline void prefetch_run(const uint8_t* panel, int r) {
  constexpr int kLines = (Format::kBytes * 16 + Format::kElements - 1) / Format::kElements;
  const uint8_t* const line =
      panel + (kBlocksAhead<Format> * Format::kBytes + r * kLines) * kPanelColumns;
#pragma GCC unroll 17
  for (int i = 0; i < kLines; ++i) {
    __builtin_prefetch(line + i * kPanelColumns);
  }
}

/// The numbers that scale or offset the groups of a block, of one vector: code - bias.
template <class V>
inline typename V::F scale_number(const uint8_t* codes, int bias) {
  return V::to_float(V::sub_i(V::load_u8(codes), V::set1_i(bias)));
}

/// The scales of group g, of the vectors [first, first + kVecs) of the four at block.
template <class Format, class V, int kVecs>
inline void scales_of_group(const uint8_t* block, int first, const Scale<V> (&heads)[kVecs], int g,
                            Scale<V> (&scales)[kVecs]) {
  if constexpr (Format::kScaleBias < 0) {
    for (int v = 0; v < kVecs; ++v) scales[v] = heads[v];
  } else {
    alignas(64) uint8_t codes[kByteVecs * V::kWidth];
    alignas(64) uint8_t offsets[kByteVecs * V::kWidth];
    V::store_b(codes, Format::template scale_code<V>(block, g));
    if constexpr (Format::kHasOffset) {
      V::store_b(offsets, Format::template offset_code<V>(block, g));
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const int at = (first + v) * V::kWidth;
      scales[v].step = V::mul(heads[v].step, scale_number<V>(codes + at, Format::kScaleBias));
      scales[v].offset = V::zero();
      if constexpr (Format::kHasOffset) {
        scales[v].offset = negated<V>(V::mul(heads[v].offset, scale_number<V>(offsets + at, 0)));
      }
    }
  }
}

/// sink(k, values) for the inputs k = 16 r + i, i < 16; codes: of the vectors' first output.
template <class Format, class V, int kVecs, class Sink>
inline void decode_run(const uint8_t* codes, const Scale<V> (&scales)[kVecs], int r, Sink sink) {
  for (int quad = 0; quad < 16; quad += 4) {
    typename V::B quads[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      quads[v] = Format::template codes<V>(codes + 4 * v * V::kWidth, r / Format::kSection,
                                           r % Format::kSection, quad);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      typename V::F values[kVecs];
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        values[v] = V::mul(scales[v].step, V::to_float(V::signed_byte(quads[v], i)));
        if constexpr (Format::kHasOffset) values[v] = V::add(values[v], scales[v].offset);
      }
      sink(r * 16 + quad + i, values);
    }
  }
}

/// sink(k, values) for each input k of the block, ascending; values: kVecs vectors of outputs from
/// `column`, all within a group of kByteVecs, because scales are decoded for so many.
template <class Format, class V, int kVecs, class Sink>
inline void decode_block(const uint8_t* panel, int column, Sink sink) {
  constexpr int kRuns = Format::kGroup / 16;
  const int first = column / V::kWidth % kByteVecs;
  const uint8_t* const block = panel + column;
  Scale<V> heads[kVecs];
#pragma GCC unroll 8
  for (int v = 0; v < kVecs; ++v) heads[v] = Format::template head<V>(block + v * V::kWidth);
  for (int g = 0; g < Format::kElements / Format::kGroup; ++g) {
    Scale<V> scales[kVecs];
    scales_of_group<Format, V, kVecs>(block - first * V::kWidth, first, heads, g, scales);
    for (int r = g * kRuns; r < (g + 1) * kRuns; ++r) {
      if (column == 0) prefetch_run<Format>(panel, r);
      decode_run<Format, V, kVecs>(panel + 4 * column, scales, r, sink);
    }
  }
}

}  // namespace
}  // namespace quire::cpu
