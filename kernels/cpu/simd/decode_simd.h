#pragma once

// The loop that dequantises a block for several vectors of outputs; included only by
// linear_types_simd.h.

#include "kernels/cpu/simd/block_formats_simd.h"

namespace quire::cpu {
namespace {

/// Vectors whose lanes have a byte in V::B.
inline constexpr int kByteVecs = 4;

/// Prefetches what run r of a block reads, two or more kilobytes ahead, so that reading does not
/// stop at the ends of pages.
template <class Format>
inline void prefetch_run(const uint8_t* panel, int r) {
  constexpr int kLines = (Format::kBytes * 16 + Format::kElements - 1) / Format::kElements;
  constexpr int kBlocksAhead = Format::kElements == 32 ? 2 : 1;
  const uint8_t* const line = panel + (kBlocksAhead * Format::kBytes + r * kLines) * kPanelColumns;
#pragma GCC unroll 17
  for (int i = 0; i < kLines; ++i) {
    __builtin_prefetch(line + i * kPanelColumns);
  }
}

/// sink(k, values) for the inputs k = 16 r + i, i < 16; values: the vectors [first, first + kVecs)
/// of the four at block.
template <class Format, class V, int kVecs, class Sink>
inline void decode_run(const uint8_t* block, int first, const Scale<V> (&scales)[kVecs], int r,
                       Sink sink) {
  for (int i = 0; i < 16; ++i) {
    alignas(64) uint8_t codes[kByteVecs * V::kWidth];
    V::store_b(codes, Format::template code<V>(block, r, i));
    typename V::F values[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      const typename V::F number = V::to_float(V::load_i8(codes + (first + v) * V::kWidth));
      values[v] = V::mul(scales[v].step, number);
      if constexpr (Format::kHasOffset) values[v] = V::add(values[v], scales[v].offset);
    }
    sink(r * 16 + i, values);
  }
}

/// sink(k, values) for each input k of the block, ascending; values: kVecs vectors of outputs from
/// `column`, all within a group of kByteVecs.
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
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) {
      scales[v] = Format::template scale<V>(block + v * V::kWidth, heads[v], g);
    }
    for (int r = g * kRuns; r < (g + 1) * kRuns; ++r) {
      if (column == 0) prefetch_run<Format>(panel, r);
      decode_run<Format, V, kVecs>(block - first * V::kWidth, first, scales, r, sink);
    }
  }
}

}  // namespace
}  // namespace quire::cpu
