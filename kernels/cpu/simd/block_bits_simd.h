#pragma once

// Numbers of a few bits in a panel of quantised blocks; included only by block_formats_simd.h. A
// lane is an output: a panel holds byte i (or the four code bytes from i) of the blocks of 64
// outputs side by side (panel_layout.h), so one load reads them for neighbouring outputs. `block`
// points at byte 0, or at the first four bytes, of the first output.

#include <cstdint>

#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

/// A vector of scales with one of offsets: value = step * quant + offset.
template <class V>
struct Scale {
  typename V::F step;
  typename V::F offset;
};

template <class V>
inline typename V::I byte_at(const uint8_t* block, int i) {
  return V::load_u8(block + i * kPanelColumns);
}

template <class V>
inline typename V::F half_at(const uint8_t* block, int i) {
  return V::float_of_half(
      V::or_i(byte_at<V>(block, i), V::shift_left(byte_at<V>(block, i + 1), 8)));
}

template <class V>
inline typename V::F negated(typename V::F x) {
  return V::sub(V::set1(-0.0f), x);
}

// Bytes: one of each output of four vectors, or four of each output of one ------------------------

template <class V>
inline typename V::B bits(const uint8_t* block, int i, int shift, int mask) {
  const typename V::B bytes = V::load_b(block + i * kPanelColumns);
  return V::and_b(V::shift_right_b(bytes, shift), V::set1_b(mask));
}

template <class V>
inline typename V::B nibbles(const uint8_t* block, int i, int which) {
  return bits<V>(block, i, 4 * which, 15);
}

/// Moves the bits of `mask` from bit `from` of each byte to bit `to`.
template <class V>
inline typename V::B moved(typename V::B bytes, int from, int to, int mask) {
  const typename V::B there =
      from < to ? V::shift_left_b(bytes, to - from) : V::shift_right_b(bytes, from - to);
  return V::and_b(there, V::set1_b(mask << to));
}

/// moved() of the bytes at i.
template <class V>
inline typename V::B moved_bits(const uint8_t* block, int i, int from, int to, int mask) {
  return moved<V>(V::load_b(block + i * kPanelColumns), from, to, mask);
}

template <class V>
inline typename V::B minus(typename V::B x, int bias) {
  return V::sub_b(x, V::set1_b(bias));
}

/// Six bits: four of byte i, and two of byte j above them.
template <class V>
inline typename V::B six_bits(const uint8_t* block, int i, int which, int j, int shift) {
  return V::or_b(nibbles<V>(block, i, which), moved_bits<V>(block, j, shift, 4, 3));
}

}  // namespace
}  // namespace quire::cpu
