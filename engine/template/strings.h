#pragma once

#include <string_view>
#include <vector>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Searches for one needle in time proportional to the text read (Knuth, Morris, Pratt, 1977),
/// which is charged.
class Finder {
 public:
  Finder(Runtime& runtime, std::string_view needle);
  /// Where the needle begins first at `from` or later; npos where it does not, or after a failure.
  size_t find(std::string_view text, size_t from) const;
  /// The last place where it begins, with its end at `end` or before.
  size_t find_last(std::string_view text, size_t end) const;

 private:
  size_t find_short(std::string_view text, size_t from) const;
  size_t find_last_short(std::string_view text) const;

  Runtime& m_runtime;
  std::string_view m_needle;
  std::vector<uint32_t> m_border;  ///< Of each prefix, its longest proper prefix that ends it.
};

/// Which ends of a text to strip.
enum class Side { kLeft, kRight, kBoth };

/// Python's str methods of these names, marks kept for each character. An empty `characters`
/// pointer means whitespace.
Value strip(Runtime& runtime, const Text& text, const Text* characters, Side side);
Value upper(Runtime& runtime, const Text& text);
Value lower(Runtime& runtime, const Text& text);
Value capitalize(Runtime& runtime, const Text& text);
/// str.title(): a letter after a non-letter is upper case.
Value title(Runtime& runtime, const Text& text);
/// Jinja's title filter: words begin after spaces and opening brackets, and nowhere else.
Value title_words(Runtime& runtime, const Text& text);
/// At most `limit` replacements, all where it is negative.
Value replace(Runtime& runtime, const Text& text, const Text& from, const Text& to, int64_t limit);
Value reverse(Runtime& runtime, const Text& text);

/// At most `limit` cuts, all where it is negative, the first or the last ones. A null separator
/// means runs of whitespace.
Value split(Runtime& runtime, const Text& text, const Text* separator, int64_t limit,
            bool from_right);
std::vector<Value> split_lines(Runtime& runtime, const Text& text, bool keep_ends);

/// separator.join(items), each printed; with `only_texts`, others than texts fail.
Value join(Runtime& runtime, const Text& separator, const std::vector<Value>& items,
           bool only_texts);

}  // namespace quire::jinja
