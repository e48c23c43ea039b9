#pragma once

#include <cstdint>

namespace quire {

/// A grid of weight_grids.h with a byte for each element, for lookups of four elements at once.
template <int kCount>
struct GridTable {
  alignas(64) uint32_t words[kCount];
};

/// Entry e of eight elements is words 2 e and 2 e + 1. Those of IQ1 are eight times the elements.
extern const GridTable<2 * 2048> kIq1Table;
extern const GridTable<2 * 256> kIq2XxsTable;
extern const GridTable<2 * 512> kIq2XsTable;
extern const GridTable<2 * 1024> kIq2STable;
extern const GridTable<256> kIq3XxsTable;
extern const GridTable<512> kIq3STable;

/// The same grids for lookups of bytes: the codes of the first and of the second half of each
/// entry's elements, one above the other, of two bits (IQ2) or three (IQ3).
template <int kCount>
struct GridBytes {
  alignas(64) uint8_t first[kCount];
  alignas(64) uint8_t second[kCount];
};
extern const GridBytes<256> kIq2XxsBytes;
extern const GridBytes<512> kIq2XsBytes;
extern const GridBytes<1024> kIq2SBytes;
extern const GridBytes<256> kIq3XxsBytes;
extern const GridBytes<512> kIq3SBytes;

/// The magnitudes of the p-th of the codes in the six bits of an index, plus the bias that makes
/// signed numbers unsigned.
template <int kPlaces>
struct CodeNumbers {
  alignas(64) uint8_t bytes[kPlaces][64];
};
extern const CodeNumbers<3> kIq2Numbers;
extern const CodeNumbers<2> kIq3XxsNumbers;
extern const CodeNumbers<2> kIq3SNumbers;

/// The eight signs whose first seven bits are the index: the number of minus signs is even.
struct SignTable {
  alignas(64) uint8_t bytes[128];
};
extern const SignTable kSignsOfSeven;

/// The upper two bytes, as floats, of numbers in E4M3 without their sign; the lower ones are zero.
struct E4m3Bytes {
  alignas(64) uint8_t top[128];
  alignas(64) uint8_t next[128];
};
extern const E4m3Bytes kE4m3Bytes;

/// The numbers of the codes of NF4.
struct Nf4Numbers {
  alignas(64) float numbers[16];
};
extern const Nf4Numbers kNf4Numbers;

}  // namespace quire
