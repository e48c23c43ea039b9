#pragma once

// The formats with grids of 256 to 1024 entries, decoded by permutations of bytes instead of
// gathers; included only by the sources of variants with VBMI. The interface is that of
// block_formats_simd.h with these differences:
//   kTransposed   codes(block, s, r, i) are those of inputs i / 4 + 0, 4, 8 and 12 of the run, a
//                 column of its 4 x 4 codes; inputs are multiplied in that order
//   kIsBiased     the codes have kBias added
// A lookup of an index finds two bytes, each with the codes of half of the entry's elements; a
// lookup of these finds numbers.

#include "kernels/base/grid_tables.h"
#include "kernels/cpu/simd/block_formats_simd.h"
#include "kernels/cpu/simd/grid_formats_simd.h"

namespace quire::cpu {
namespace {

/// Table indices, a byte each. bits: bit 7 and the bits above the byte.
template <class V, int kBits>
struct TableIndex {
  typename V::B low;
  typename V::Mask bits[kBits];
};

/// table[index] of a table of kCount bytes.
template <class V, int kCount, int kBits>
inline typename V::B look_up_bytes(const uint8_t* table, const TableIndex<V, kBits>& index) {
  if constexpr (kCount == 128) {
    return V::look_up_128(table, index.low);
  } else {
    constexpr int kBit = kCount == 256 ? 0 : kCount == 512 ? 1 : 2;
    return V::select_b(index.bits[kBit], look_up_bytes<V, kCount / 2>(table + kCount / 2, index),
                       look_up_bytes<V, kCount / 2>(table, index));
  }
}

/// The codes of the first and of the second halves of entries.
template <class V>
struct EntryHalves {
  typename V::B first;
  typename V::B second;
};

template <class V, int kCount, int kBits>
inline EntryHalves<V> look_up_entries(const GridBytes<kCount>& grid,
                                      const TableIndex<V, kBits>& index) {
  return {look_up_bytes<V, kCount>(grid.first, index),
          look_up_bytes<V, kCount>(grid.second, index)};
}

/// Code byte at + i of each output, in all four bytes of its lane; byte `at` begins a lane.
template <class V>
inline typename V::B code_byte(const uint8_t* block, int at, int i) {
  return V::shuffle_b(V::load_b(block + (at + i / 4 * 4) * kPanelColumns + i % 4), 0);
}

/// The signs of 32 elements, of which 28 bits are stored: seven of each eight.
template <class V>
inline typename V::B signs_of_28(typename V::B words) {
  return V::look_up_128(kSignsOfSeven.bytes, V::every_seven_bits(words));
}

/// Gives numbers with a bias the signs of column j of run r. signs: of the section's 32 elements.
template <class V, int kBias>
inline typename V::B with_signs(typename V::B numbers, typename V::B signs, int r, int j) {
  const typename V::B of_quads = V::shuffle_b(signs, 0x01010000 + r * 0x02020202);
  const typename V::B bits = V::set1_i(static_cast<int>(0x10011001u << j));
  return V::subtract_from_b(V::test_b(of_quads, bits), V::set1_b(2 * kBias), numbers);
}

/// IQ2's entries are eight elements, so that those of a section's two runs are found together.
template <class V>
inline typename V::B iq2_numbers(const EntryHalves<V>& entries, typename V::B signs, int r, int j) {
  const typename V::B quads =
      V::shuffle_pairs_b(entries.first, entries.second, 0x01010000 + 0x02020202 * r);
  const typename V::B codes = j < 3 ? quads : V::shift_right_b(quads, 2);
  const typename V::B numbers = V::look_up_64(kIq2Numbers.bytes[j < 3 ? j : 2], codes);
  return with_signs<V, DecodeIQ2_S::kBias>(numbers, signs, r, j);
}

/// IQ3's entries are four elements.
template <class V, int kBias>
inline typename V::B iq3_numbers(const CodeNumbers<2>& table, const EntryHalves<V>& entries,
                                 typename V::B signs, int r, int j) {
  const typename V::B codes = j < 2 ? entries.first : entries.second;
  return with_signs<V, kBias>(V::look_up_64(table.bytes[j % 2], codes), signs, r, j);
}

struct ByteTables {
  static constexpr bool kTransposed = true;
  static constexpr bool kIsBiased = true;
};

struct ByteTableIQ2_XXS : DecodeIQ2_XXS, ByteTables {
  static constexpr int kSection = 2;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const typename V::B index = V::load_b(block + (2 + 8 * s) * kPanelColumns);
    const typename V::B signs = V::load_b(block + (6 + 8 * s) * kPanelColumns);
    const TableIndex<V, 1> indices = {index, {V::top_bits(index)}};
    return iq2_numbers<V>(look_up_entries<V>(kIq2XxsBytes, indices), signs_of_28<V>(signs), r,
                          i / 4);
  }
};

struct ByteTableIQ2_XS : DecodeIQ2_XS, ByteTables {
  static constexpr int kSection = 2;
  static constexpr int kAlike = 2;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const typename V::B first = V::load_b(block + (2 + 8 * s) * kPanelColumns);
    const typename V::B second = V::load_b(block + (6 + 8 * s) * kPanelColumns);
    const typename V::B low = V::choose_b(first, second, 0x42400200);
    const typename V::B high = V::choose_b(first, second, 0x43410301);
    const TableIndex<V, 2> indices = {low, {V::top_bits(low), V::test_b(high, V::set1_b(1))}};
    const typename V::B signs = V::look_up_128(kSignsOfSeven.bytes, V::shift_right_b(high, 1));
    return iq2_numbers<V>(look_up_entries<V>(kIq2XsBytes, indices), signs, r, i / 4);
  }
};

struct ByteTableIQ2_S : DecodeIQ2_S, ByteTables {
  static constexpr int kSection = 2;
  static constexpr int kAlike = 2;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const typename V::B low = V::load_b(block + (2 + 4 * s) * kPanelColumns);
    const typename V::B high = code_byte<V>(block, 66, s);
    const TableIndex<V, 3> indices = {low,
                                      {V::top_bits(low), V::test_b(high, V::set1_i(0x40100401)),
                                       V::test_b(high, V::set1_i(int(0x80200802)))}};
    const typename V::B signs = V::load_b(block + (34 + 4 * s) * kPanelColumns);
    return iq2_numbers<V>(look_up_entries<V>(kIq2SBytes, indices), signs, r, i / 4);
  }
};

struct ByteTableIQ3_XXS : DecodeIQ3_XXS, ByteTables {
  static constexpr int kSection = 2;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const typename V::B index = V::load_b(block + (2 + 8 * s + 4 * r) * kPanelColumns);
    const typename V::B signs = V::load_b(block + (66 + 4 * s) * kPanelColumns);
    const TableIndex<V, 1> indices = {index, {V::top_bits(index)}};
    return iq3_numbers<V, kBias>(kIq3XxsNumbers, look_up_entries<V>(kIq3XxsBytes, indices),
                                 signs_of_28<V>(signs), r, i / 4);
  }
};

struct ByteTableIQ3_S : DecodeIQ3_S, ByteTables {
  static constexpr int kSection = 2;
  template <class V>
  static typename V::B codes(const uint8_t* block, int s, int r, int i) {
    const typename V::B low = V::load_b(block + (2 + 8 * s + 4 * r) * kPanelColumns);
    const typename V::B high = code_byte<V>(block, 66, s);
    const typename V::B bits = V::set1_i(r == 0 ? 0x08040201 : int(0x80402010));
    const TableIndex<V, 2> indices = {low, {V::top_bits(low), V::test_b(high, bits)}};
    const typename V::B signs = V::load_b(block + (74 + 4 * s) * kPanelColumns);
    return iq3_numbers<V, kBias>(kIq3SNumbers, look_up_entries<V>(kIq3SBytes, indices), signs, r,
                                 i / 4);
  }
};

}  // namespace
}  // namespace quire::cpu
