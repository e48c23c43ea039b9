#pragma once

#include <string>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Appends Python's str(value).
void print(Runtime& runtime, TextBuilder& out, const Value& value);
/// Appends Python's repr(value). Inside containers marks are not told apart: see
/// TextBuilder::spread_marks.
void print_repr(Runtime& runtime, TextBuilder& out, const Value& value);

/// str(value) as a text; a text is itself.
TextRef to_text(Runtime& runtime, const Value& value);

/// The shortest digits that read back as the same double, as Python prints a float.
std::string float_repr(double value);

/// Fails with the name that was undefined: "'x' is undefined".
Value fail_undefined(Runtime& runtime, const Value& undefined);

}  // namespace quire::jinja
