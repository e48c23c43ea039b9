#include "kernels/base/grid_tables.h"

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

}  // namespace

constexpr GridTable<2 * 2048> kIq1Table = expand<8>(kIq1Grid, iq1_element);
constexpr GridTable<2 * 256> kIq2XxsTable = expand<8>(kIq2XxsGrid, blocks::iq2_element);
constexpr GridTable<2 * 512> kIq2XsTable = expand<8>(kIq2XsGrid, blocks::iq2_element);
constexpr GridTable<2 * 1024> kIq2STable = expand<8>(kIq2SGrid, blocks::iq2_element);
constexpr GridTable<256> kIq3XxsTable = expand<4>(kIq3XxsGrid, blocks::iq3_xxs_element);
constexpr GridTable<512> kIq3STable = expand<4>(kIq3SGrid, blocks::iq3_s_element);

}  // namespace quire
