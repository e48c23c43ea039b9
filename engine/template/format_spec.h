#pragma once

#include <string>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// How one value is formatted, as % and str.format both describe it.
struct FormatSpec {
  char type = 0;  ///< s d x X o b c e E f F g G %, or 0 for the value's own way.
  char32_t fill = U' ';
  char align = 0;   ///< < > ^ or = (after the sign), 0 for the type's own way.
  char sign = '-';  ///< '+' and ' ' put something before what is not negative.
  bool is_alternate = false;
  char grouping = 0;  ///< , or _ between thousands.
  int64_t width = 0;
  int64_t precision = -1;
};

/// The largest width or precision accepted.
inline constexpr int64_t kWidestFormat = 100'000;

/// Appends a number formatted by `spec`. Fails where type and value do not fit.
void append_number(Runtime& runtime, TextBuilder& out, const Value& value, FormatSpec spec);
/// Appends a text, cut to the precision and padded to the width.
void append_text(Runtime& runtime, TextBuilder& out, const Text& text, const FormatSpec& spec);

}  // namespace quire::jinja
