#pragma once

// Weights in blocks of small floats with a scale in f32 (kF8_128 and kNF4_64), for GEMMs with f32
// activations; included only by linear_simd.h. A lane is an output, whose bytes of four inputs are
// adjacent in the panel (panel_layout.h). The numbers have the bits of dequantize_row.

#include "kernels/base/grid_tables.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/block_bits_simd.h"

namespace quire::cpu {
namespace {

/// The scales of a block, four bytes each, of the outputs from `column`.
template <class V>
inline typename V::F f32_scales(const uint8_t* block, int column) {
  typename V::I bits = byte_at<V>(block + column, 0);
#pragma GCC unroll 4
  for (int i = 1; i < 4; ++i) {
    bits = V::or_i(bits, V::shift_left(byte_at<V>(block + column, i), 8 * i));
  }
  return V::float_of_bits(bits);
}

/// Byte n of each lane, a number in E4M3.
template <class V>
inline typename V::F e4m3_number(typename V::I words, int n) {
  const typename V::I bits = V::and_i(V::shift_right(words, 8 * n), V::set1_i(127));
  const typename V::F position = V::to_float(bits);
  const typename V::F normal =
      V::float_of_bits(V::add_i(V::shift_left(bits, 20), V::set1_i(120 << 23)));
  const typename V::F subnormal = V::mul(position, V::set1(0x1p-9f));
  const typename V::F finite = V::select_less(position, V::set1(8.0f), subnormal, normal);
  const typename V::F nan = V::float_of_bits(V::set1_i(0x7fc00000));
  const typename V::F magnitude = V::select_less(V::set1(126.0f), position, nan, finite);
  return V::copy_sign(magnitude, V::float_of_bits(V::shift_left(words, 24 - 8 * n)));
}

/// 128 numbers in E4M3. A step is four inputs.
struct FloatsOfF8 {
  static constexpr int kElements = 128;
  static constexpr int kBytes = 132;
  static constexpr int byte_of(int k) { return 4 + k; }
  /// numbers[n]: input k + n of each output; words: of that step.
  template <class V>
  static void decode(typename V::I words, int /*k*/, typename V::F (&numbers)[4]) {
    if constexpr (requires { V::widen_e4m3(words, numbers); }) {
      V::widen_e4m3(words, numbers);
    } else {
#pragma GCC unroll 4
      for (int n = 0; n < 4; ++n) numbers[n] = e4m3_number<V>(words, n);
    }
  }
};

/// 64 codes of NF4: of each 32 inputs, the first 16 in the lower halves of bytes.
struct FloatsOfNf4 {
  static constexpr int kElements = 64;
  static constexpr int kBytes = 36;
  static constexpr int byte_of(int k) { return 4 + k / 32 * 16 + k % 16; }
  template <class V>
  static void decode(typename V::I words, int k, typename V::F (&numbers)[4]) {
#pragma GCC unroll 4
    for (int n = 0; n < 4; ++n) {
      numbers[n] =
          V::look_up_16(kNf4Numbers.numbers, V::shift_right(words, 8 * n + k % 32 / 16 * 4));
    }
  }
};

/// fn(k, v, weights): of inputs k to k + 3, ascending, and of vector v < kVecs of the outputs from
/// `column`, for one chunk of a panel.
template <class V, class Floats, int kVecs, class Fn>
inline void for_each_step(const void* chunk, int column, int64_t length, Fn fn) {
  const auto* block = static_cast<const uint8_t*>(chunk);
  for (int64_t first = 0; first < length; first += Floats::kElements) {
    typename V::F scales[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) scales[v] = f32_scales<V>(block, column + v * V::kWidth);
    for (int half = 0; half < Floats::kElements; half += 16) {
#pragma GCC unroll 4
      for (int k = half; k < half + 16; k += 4) {
        const uint8_t* const codes = block + Floats::byte_of(k) * kPanelColumns + 4 * column;
#pragma GCC unroll 8
        for (int v = 0; v < kVecs; ++v) {
          typename V::F weights[4];
          Floats::template decode<V>(V::words_of(V::load_b(codes + 4 * v * V::kWidth)), half,
                                     weights);
#pragma GCC unroll 4
          for (int n = 0; n < 4; ++n) weights[n] = V::mul(scales[v], weights[n]);
          fn(first + k, v, weights);
        }
      }
    }
    block += Floats::kBytes * kPanelColumns;
  }
}

/// multiply_tile() of linear_simd.h for a chunk of such a panel.
template <class V, class Floats, int kRows, int kVecs>
inline void multiply_blocks(const float* x, int64_t x_stride, const void* chunk, int column,
                            int64_t length, typename V::F (&sums)[kRows][kVecs]) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sums[r][v] = V::zero();
  }
  for_each_step<V, Floats, kVecs>(
      chunk, column, length, [&](int64_t k, int v, const typename V::F(&weights)[4]) {
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
          for (int n = 0; n < 4; ++n) {
            sums[r][v] = V::fma(V::set1(x[r * x_stride + k + n]), weights[n], sums[r][v]);
          }
        }
      });
}

/// widen_tile() of linear_simd.h for such a panel.
template <class V, class Floats>
inline void widen_blocks(float* tile, const void* chunk, int column, int64_t length) {
  constexpr int kVecs = V::kTileVecs;
  for_each_step<V, Floats, kVecs>(
      chunk, column, length, [&](int64_t k, int v, const typename V::F(&weights)[4]) {
#pragma GCC unroll 4
        for (int n = 0; n < 4; ++n) {
          V::store(tile + ((k + n) * kVecs + v) * V::kWidth, weights[n]);
        }
      });
}

}  // namespace
}  // namespace quire::cpu
