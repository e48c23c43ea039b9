#include "kernels/base/grid_tables.h"

#include <bit>

#include "kernels/base/quant_blocks.h"

namespace quire {
namespace {

/// kElements elements of each entry, element(entry, j) each.
template <int kElements, int kEntries, typename Element>
constexpr auto expand(const uint16_t (&grid)[kEntries], Element element) {
  GridTable<kEntries* kElements / 4> expanded = {};
  for (int i = 0; i < kEntries * kElements; ++i) {
    const uint32_t byte = element(grid[i / kElements], i % kElements) & 255u;
    expanded.words[i / 4] |= byte << (8 * (i % 4));
  }
  return expanded;
}

constexpr uint32_t iq1_element(uint32_t entry, int j) {
  return 8 * (entry >> (2 * j) & 3u) - 8;
}

template <int kCount>
constexpr GridBytes<kCount> two_bit_codes(const uint16_t (&grid)[kCount]) {
  GridBytes<kCount> halves = {};
  for (int i = 0; i < kCount; ++i) {
    halves.first[i] = static_cast<uint8_t>(grid[i] & 255);
    halves.second[i] = static_cast<uint8_t>(grid[i] >> 8);
  }
  return halves;
}

/// The grid has a code in each half byte.
template <int kCount>
constexpr GridBytes<kCount> three_bit_codes(const uint16_t (&grid)[kCount]) {
  GridBytes<kCount> halves = {};
  for (int i = 0; i < kCount; ++i) {
    halves.first[i] = static_cast<uint8_t>((grid[i] & 7) | (grid[i] >> 4 & 7) << 3);
    halves.second[i] = static_cast<uint8_t>((grid[i] >> 8 & 7) | (grid[i] >> 12 & 7) << 3);
  }
  return halves;
}

/// element(entry, 0) is the magnitude of the code in an entry's lowest bits.
template <int kPlaces, typename Element>
constexpr CodeNumbers<kPlaces> code_numbers(uint32_t bias, Element element) {
  constexpr uint32_t kBits = 6 / kPlaces;
  CodeNumbers<kPlaces> numbers = {};
  for (uint32_t i = 0; i < kPlaces * 64; ++i) {
    const uint32_t code = i % 64 >> (i / 64 * kBits) & ((1u << kBits) - 1);
    numbers.bytes[i / 64][i % 64] = static_cast<uint8_t>(bias + element(code, 0));
  }
  return numbers;
}

constexpr SignTable even_signs() {
  SignTable table = {};
  for (uint32_t i = 0; i < 128; ++i) {
    uint32_t parity = 0;
    for (int bit = 0; bit < 7; ++bit) parity ^= i >> bit & 1;
    table.bytes[i] = static_cast<uint8_t>(i | parity << 7);
  }
  return table;
}

constexpr E4m3Bytes e4m3_bytes() {
  E4m3Bytes table = {};
  for (uint32_t i = 0; i < 128; ++i) {
    const uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(i) * 0x1p-9f);
    const uint32_t finite = i < 8 ? subnormal : (i << 20) + (120u << 23);
    const uint32_t bits = i == 127 ? 0x7fc00000u : finite;
    table.top[i] = static_cast<uint8_t>(bits >> 24);
    table.next[i] = static_cast<uint8_t>(bits >> 16 & 255);
  }
  return table;
}

Nf4Numbers nf4_numbers() {
  Nf4Numbers table = {};
  for (uint32_t code = 0; code < 16; ++code) table.numbers[code] = blocks::nf4_number(code);
  return table;
}

}  // namespace

constexpr GridTable<2 * 2048> kIq1Table = expand<8>(kIq1Grid, iq1_element);
constexpr GridTable<2 * 256> kIq2XxsTable = expand<8>(kIq2XxsGrid, blocks::iq2_element);
constexpr GridTable<2 * 512> kIq2XsTable = expand<8>(kIq2XsGrid, blocks::iq2_element);
constexpr GridTable<2 * 1024> kIq2STable = expand<8>(kIq2SGrid, blocks::iq2_element);
constexpr GridTable<256> kIq3XxsTable = expand<4>(kIq3XxsGrid, blocks::iq3_xxs_element);
constexpr GridTable<512> kIq3STable = expand<4>(kIq3SGrid, blocks::iq3_s_element);

constexpr GridBytes<256> kIq2XxsBytes = two_bit_codes(kIq2XxsGrid);
constexpr GridBytes<512> kIq2XsBytes = two_bit_codes(kIq2XsGrid);
constexpr GridBytes<1024> kIq2SBytes = two_bit_codes(kIq2SGrid);
constexpr GridBytes<256> kIq3XxsBytes = three_bit_codes(kIq3XxsGrid);
constexpr GridBytes<512> kIq3SBytes = three_bit_codes(kIq3SGrid);

constexpr CodeNumbers<3> kIq2Numbers = code_numbers<3>(43, blocks::iq2_element);
constexpr CodeNumbers<2> kIq3XxsNumbers = code_numbers<2>(62, blocks::iq3_xxs_element);
constexpr CodeNumbers<2> kIq3SNumbers = code_numbers<2>(15, blocks::iq3_s_element);
constexpr SignTable kSignsOfSeven = even_signs();

constexpr E4m3Bytes kE4m3Bytes = e4m3_bytes();
const Nf4Numbers kNf4Numbers = nf4_numbers();

}  // namespace quire
