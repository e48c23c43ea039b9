#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace quire {

/// Sorts by name ascending. The names of a model begin alike and lie apart in memory, so that what
/// takes the time is to fetch and compare them: most are told apart by the eight bytes behind what
/// all have in common, which are kept beside each other.
template <typename Named>
void sort_by_name(std::vector<Named>& items, std::string Named::*name) {
  if (std::ranges::is_sorted(items, {}, name)) return;
  const std::string& first = items.front().*name;
  size_t common = first.size();
  for (const Named& item : items) {
    const std::string& other = item.*name;
    const auto end = first.begin() + static_cast<std::ptrdiff_t>(std::min(common, other.size()));
    common =
        static_cast<size_t>(std::mismatch(first.begin(), end, other.begin()).first - first.begin());
  }
  struct Key {
    uint64_t bytes = 0;  ///< Big-endian; 0 behind the end.
    size_t index = 0;
  };
  std::vector<Key> keys(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string& text = items[i].*name;
    for (size_t at = common; at < common + sizeof(uint64_t); ++at) {
      keys[i].bytes = keys[i].bytes << 8 | (at < text.size() ? static_cast<uint8_t>(text[at]) : 0);
    }
    keys[i].index = i;
  }
  std::ranges::sort(keys, [&](const Key& a, const Key& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : items[a.index].*name < items[b.index].*name;
  });
  std::vector<Named> sorted;
  sorted.reserve(items.size());
  for (const Key& key : keys) sorted.push_back(std::move(items[key.index]));
  items = std::move(sorted);
}

}  // namespace quire
