#pragma once

// A chunk of a panel as bytes and scales; included only by int8_product_simd.h. The bytes of four
// inputs of an output lie side by side, as the processors' products of bytes want them.

#include "kernels/cpu/simd/decode_simd.h"

namespace quire::cpu {
namespace {

inline constexpr int kQuads = kChunkInputs / 4;
inline constexpr int kMostGroups = kChunkInputs / 16;

/// One chunk of a panel. Outputs are in the order of V::to_quad_lanes, four vectors at a time.
struct UnpackedChunk {
  alignas(64) uint8_t codes[kQuads][4 * kPanelColumns];
  alignas(64) float steps[kMostGroups][kPanelColumns];
  alignas(64) float offsets[kMostGroups][kPanelColumns];
};

/// How a format's codes are multiplied on V: as they are, or made unsigned by adding a bias.
template <class V, class Format>
struct Int8Codes {
  static constexpr bool kSigned = Format::kBias == 128 && !V::kDotsAllBytes;
  static constexpr int kBias = kSigned ? 0 : Format::kBias;
};

/// Codes as numbers, code - bias, of four vectors of outputs in the order of V::to_quad_lanes.
template <class V>
inline void widen_codes(typename V::B codes, int bias, typename V::F (&numbers)[4]) {
  const typename V::B zero = V::set1_b(0);
  typename V::B quads[4];
  V::interleave(codes, zero, zero, zero, quads);
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) {
    numbers[v] = V::to_float(V::sub_i(V::as_i(quads[v]), V::set1_i(bias)));
  }
}

/// The scales of blocks or groups, four vectors of outputs in the order of V::to_quad_lanes.
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
  V::to_quad_lanes(heads.steps);
  if constexpr (Format::kHasOffset) V::to_quad_lanes(heads.offsets);
  return heads;
}

/// Of group g of the block, whose heads are those.
template <class V, class Format>
inline QuadScales<V> unpack_group(const uint8_t* block, const QuadScales<V>& heads, int g) {
  if constexpr (Format::kScaleBias < 0) {
    return heads;
  } else {
    QuadScales<V> scales;
    typename V::F numbers[4];
    widen_codes<V>(Format::template scale_code<V>(block, g), Format::kScaleBias, numbers);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) scales.steps[v] = V::mul(heads.steps[v], numbers[v]);
    if constexpr (Format::kHasOffset) {
      widen_codes<V>(Format::template offset_code<V>(block, g), 0, numbers);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        scales.offsets[v] = negated<V>(V::mul(heads.offsets[v], numbers[v]));
      }
    }
    return scales;
  }
}

/// The scales of one block. first: the chunk's group that is its first.
template <class V, class Format>
inline void unpack_scales(const uint8_t* block, int first, int column, UnpackedChunk& to) {
  const QuadScales<V> heads = unpack_heads<V, Format>(block);
  for (int g = 0; g < Format::kElements / Format::kGroup; ++g) {
    const QuadScales<V> scales = unpack_group<V, Format>(block, heads, g);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      V::store(to.steps[first + g] + column + v * V::kWidth, scales.steps[v]);
      if constexpr (Format::kHasOffset) {
        V::store(to.offsets[first + g] + column + v * V::kWidth, scales.offsets[v]);
      }
    }
  }
}

template <class V, class Format, int kBias>
inline typename V::B unpack_code(const uint8_t* block, int r, int i) {
  const typename V::B code = Format::template code<V>(block, r, i);
  return kBias == 0 ? code : V::sub_b(code, V::set1_b(-kBias));
}

/// Inputs 16 r + i to i + 3, side by side for each output of four vectors.
template <class V, class Format, int kBias>
inline void unpack_quads(const uint8_t* block, int r, int i, typename V::B (&quads)[4]) {
  V::interleave(unpack_code<V, Format, kBias>(block, r, i),
                unpack_code<V, Format, kBias>(block, r, i + 1),
                unpack_code<V, Format, kBias>(block, r, i + 2),
                unpack_code<V, Format, kBias>(block, r, i + 3), quads);
}

/// kBias is added to the codes.
template <class V, class Format, int kBias>
void unpack_chunk(const void* chunk, int64_t length, UnpackedChunk& to) {
  constexpr int kPart = 4 * V::kWidth;
  for (int column = 0; column < kPanelColumns; column += kPart) {
    const auto* block = static_cast<const uint8_t*>(chunk) + column;
    int quad = 0;
    for (int64_t k = 0; k < length; k += Format::kElements) {
      unpack_scales<V, Format>(block, static_cast<int>(k) / Format::kGroup, column, to);
      for (int r = 0; r < Format::kElements / 16; ++r) {
#pragma GCC unroll 4
        for (int i = 0; i < 16; i += 4) {
          typename V::B quads[4];
          unpack_quads<V, Format, kBias>(block, r, i, quads);
#pragma GCC unroll 4
          for (int v = 0; v < 4; ++v) {
            V::store_b(to.codes[quad] + 4 * (column + v * V::kWidth), quads[v]);
          }
          ++quad;
        }
      }
      block += Format::kBytes * kPanelColumns;
    }
  }
}

}  // namespace
}  // namespace quire::cpu
