#pragma once

#include "engine/template/function.h"

namespace quire::jinja {

/// Python's str.format(): {}, {0}, {name}, {0.attribute[key]!r:>10}. Fields inside a format
/// specification are not supported and fail.
Value format_braces(Runtime& runtime, const Text& format, const Arguments& arguments);

}  // namespace quire::jinja
