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

}  // namespace quire
