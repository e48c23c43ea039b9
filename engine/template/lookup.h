#pragma once

#include <string>

#include "engine/template/function.h"

namespace quire::jinja {

/// value.name as Jinja reads it: a method or attribute first, then a key. Undefined where there is
/// neither; fails on an undefined value. `name` must live as long as the rendering.
Value get_attribute(Runtime& runtime, const Value& value, const std::string& name);

/// value[key] as Jinja reads it: an item first, then an attribute.
Value get_item(Runtime& runtime, const Value& value, const Value& key);

/// value[begin:end:step]; None where omitted. Undefined where value or bounds cannot make a slice.
Value get_slice(Runtime& runtime, const Value& value, const Value& begin, const Value& end,
                const Value& step);

/// A method of texts; null where there is none.
Function find_text_method(std::string_view name);

}  // namespace quire::jinja
