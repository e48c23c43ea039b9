#pragma once

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Python's `format % values`: values is a tuple, a dict for %(name)s, or a single value.
Value format_percent(Runtime& runtime, const Text& format, const Value& values);

}  // namespace quire::jinja
