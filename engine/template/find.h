#pragma once

#include <string_view>
#include <vector>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Searches for one needle. Takes time in proportion to what it reads, whatever the needle looks
/// like (Knuth, Morris, Pratt, 1977), and charges for it.
class Finder {
 public:
  Finder(Runtime& runtime, std::string_view needle);
  /// Where the needle begins first at `from` or later; npos where it does not, or after a failure.
  size_t find(std::string_view text, size_t from) const;
  /// The last place where it begins, with its end at `end` or before.
  size_t find_last(std::string_view text, size_t end) const;

 private:
  Runtime& m_runtime;
  std::string_view m_needle;
  std::vector<uint32_t> m_border;  ///< Of each prefix, its longest proper prefix that ends it.
};

}  // namespace quire::jinja
