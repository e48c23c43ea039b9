#pragma once

#include <vector>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Which ends of a text to strip.
enum class Side { kLeft, kRight, kBoth };

/// Python's str methods of these names, marks kept for each character. An empty `characters`
/// pointer means whitespace.
Value strip(Runtime& runtime, const Text& text, const Text* characters, Side side);
Value upper(Runtime& runtime, const Text& text);
Value lower(Runtime& runtime, const Text& text);
Value capitalize(Runtime& runtime, const Text& text);
Value swapcase(Runtime& runtime, const Text& text);
/// str.title(): a letter after a non-letter is upper case.
Value title(Runtime& runtime, const Text& text);
/// At most `limit` replacements, all where it is negative.
Value replace(Runtime& runtime, const Text& text, const Text& from, const Text& to, int64_t limit);
Value center(Runtime& runtime, const Text& text, int64_t width, char32_t fill);
Value reverse(Runtime& runtime, const Text& text);

/// At most `limit` cuts, all where it is negative. A null separator means runs of whitespace.
Value split(Runtime& runtime, const Text& text, const Text* separator, int64_t limit);
Value split_right(Runtime& runtime, const Text& text, const Text* separator, int64_t limit);
std::vector<Value> split_lines(Runtime& runtime, const Text& text, bool keep_ends);

/// separator.join(items), each printed; with `only_texts`, others than texts fail.
Value join(Runtime& runtime, const Text& separator, const std::vector<Value>& items,
           bool only_texts);

}  // namespace quire::jinja
