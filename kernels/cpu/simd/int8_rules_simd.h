#pragma once

// How codes of 8 bits are multiplied with inputs of 8 bits, whatever the number of rows; included
// only by int8_product_simd.h.

#include "kernels/cpu/simd/int8_unpack_simd.h"

namespace quire::cpu {
namespace {

/// How unpacked codes are multiplied; what differs between formats then.
template <bool kIsSigned, class Format>
struct Int8Rules {
  static constexpr bool kSigned = kIsSigned;
  static constexpr bool kHasOffset = Format::kHasOffset;
  static constexpr int kGroup = Format::kGroup;
  /// The group that is added n-th: those that share bytes follow each other. (Of 64 bits, as
  /// addresses are.)
  static constexpr int64_t group(int64_t n) {
    static_assert(Format::kApart == 1 || (Format::kApart == 2 && Format::kAlike == 4 &&
                                          Format::kSection * 16 / kGroup == 8));
    return Format::kApart == 1 ? n : n / 8 * 8 + n % 4 * 2 + n / 4 % 2;
  }
  /// Quads whose products with inputs are summed in 16 bits, two in each number, at most.
  static constexpr int kMostQuads = [] {
    const int fit = kIsSigned ? 1 : 32767 / (2 * 127 * Format::kMostCode);
    return fit < 1 ? 1 : fit < kGroup / 4 ? fit : kGroup / 4;
  }();
  static_assert(kGroup / 4 % kMostQuads == 0);
};

/// Quads that are summed in 16 bits before they are widened; 1 where the processor has products of
/// four bytes.
template <class V, class Rules>
constexpr int narrow_quads() {
  if constexpr (requires { V::dot_pairs(typename V::B(), typename V::I()); }) {
    if (!V::kDotsAllBytes) return Rules::kMostQuads;
  }
  return 1;
}

/// The products of one quad of a run of them: of a run of one to the sum, else to the pairs.
template <class V, class Rules>
inline void dot_quad(bool begins_run, typename V::B codes, typename V::I inputs,
                     typename V::I& pairs, typename V::I& sum) {
  if constexpr (narrow_quads<V, Rules>() > 1) {
    const typename V::I products = V::dot_pairs(codes, inputs);
    pairs = begins_run ? products : V::add_pairs(pairs, products);
  } else {
    sum = Rules::kSigned ? V::dot_signed(sum, codes, inputs) : V::dot(sum, codes, inputs);
  }
}

/// The end of a run: its pairs to the sums.
template <class V, class Rules, int kCount>
inline void end_run(const typename V::I (&pairs)[kCount], typename V::I (&sums)[kCount]) {
  if constexpr (narrow_quads<V, Rules>() > 1) {
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) sums[i] = V::widen_pairs(sums[i], pairs[i]);
  }
}

/// Four neighbouring codes of a row, for all outputs.
template <class V>
inline typename V::I quad_of_inputs(const int8_t* codes) {
  int four;
  __builtin_memcpy(&four, codes, sizeof four);
  return V::set1_i(four);
}

/// What group g's inputs add up to.
template <class Rules>
inline int sum_of_group(const Int8Chunk& x, int g) {
  return Rules::kGroup == 16 ? x.sums[g] : x.sums[2 * g] + x.sums[2 * g + 1];
}

}  // namespace
}  // namespace quire::cpu
