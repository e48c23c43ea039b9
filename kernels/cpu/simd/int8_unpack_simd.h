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

/// The scales of one block for four vectors of outputs. first: the chunk's group that is its first.
template <class V, class Format>
inline void unpack_scales(const uint8_t* block, int first, int column, UnpackedChunk& to) {
  Scale<V> heads[4];
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) heads[v] = Format::template head<V>(block + v * V::kWidth);
  for (int g = 0; g < Format::kElements / Format::kGroup; ++g) {
    typename V::F steps[4];
    typename V::F offsets[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const Scale<V> scale = Format::template scale<V>(block + v * V::kWidth, heads[v], g);
      steps[v] = scale.step;
      offsets[v] = scale.offset;
    }
    V::to_quad_lanes(steps);
    if constexpr (Format::kHasOffset) V::to_quad_lanes(offsets);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      V::store(to.steps[first + g] + column + v * V::kWidth, steps[v]);
      if constexpr (Format::kHasOffset) {
        V::store(to.offsets[first + g] + column + v * V::kWidth, offsets[v]);
      }
    }
  }
}

template <class V, class Format>
inline typename V::B unpack_code(const uint8_t* block, int r, int i) {
  constexpr int kBias = Int8Codes<V, Format>::kBias;
  const typename V::B code = Format::template code<V>(block, r, i);
  return kBias == 0 ? code : V::sub_b(code, V::set1_b(-kBias));
}

template <class V, class Format>
void unpack_chunk(const void* chunk, int64_t length, UnpackedChunk& to) {
  constexpr int kPart = 4 * V::kWidth;
  for (int column = 0; column < kPanelColumns; column += kPart) {
    const auto* block = static_cast<const uint8_t*>(chunk) + column;
    int quad = 0;
    for (int64_t k = 0; k < length; k += Format::kElements) {
      unpack_scales<V, Format>(block, static_cast<int>(k) / Format::kGroup, column, to);
#pragma GCC unroll 16
      for (int r = 0; r < Format::kElements / 16; ++r) {
        if (column == 0) prefetch_run<Format>(block, r);
#pragma GCC unroll 4
        for (int i = 0; i < 16; i += 4) {
          typename V::B quads[4];
          V::interleave(unpack_code<V, Format>(block, r, i),
                        unpack_code<V, Format>(block, r, i + 1),
                        unpack_code<V, Format>(block, r, i + 2),
                        unpack_code<V, Format>(block, r, i + 3), quads);
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
