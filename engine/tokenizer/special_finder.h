#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// Finds special tokens in text that a template wrote: the leftmost, and where several begin, the
/// longest. A step costs the logarithm of their number: vocabularies have thousands that begin
/// alike.
/// Thread: one at a time. The contents, none of which is empty, must outlive it.
class SpecialFinder {
 public:
  explicit SpecialFinder(const std::vector<std::string>& contents);

  struct Match {
    size_t begin = std::string_view::npos;
    size_t length = 0;  ///< 0: none.
  };
  /// The first special token at or after `from`.
  Match find(std::string_view text, size_t from);

 private:
  void sort();
  size_t longest_at(std::string_view text) const;

  const std::vector<std::string>& m_contents;
  std::bitset<256> m_first;
  std::vector<std::string_view> m_sorted;  ///< Filled when first needed; most texts never do.
  /// Of each in m_sorted the place of the longest other one that it begins with; -1 for none.
  std::vector<int32_t> m_within;
};

}  // namespace quire
