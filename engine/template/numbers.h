#pragma once

#include <optional>
#include <string_view>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Python's int(text) and float(text); nothing where the text is no number. An int that
/// needs more than 64 bits fails the rendering.
std::optional<int64_t> parse_integer(Runtime& runtime, std::string_view text);
std::optional<double> parse_double(std::string_view text);

/// int(value) of a float; fails for infinities, nan and what needs more than 64 bits.
Value truncate_double(Runtime& runtime, double value);

}  // namespace quire::jinja
