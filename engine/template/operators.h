#pragma once

#include <string_view>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// Python's a == b.
bool equals(Runtime& runtime, const Value& a, const Value& b);
/// Python's a < b; types that have no order fail.
bool is_less(Runtime& runtime, const Value& a, const Value& b);
/// Any operator of a comparison, `in` and `not in` included.
bool compare(Runtime& runtime, std::string_view op, const Value& a, const Value& b);
/// Python's `item in container`.
bool contains(Runtime& runtime, const Value& container, const Value& item);

/// + - * / // % **; integers that leave 64 bits fail.
Value arithmetic(Runtime& runtime, std::string_view op, const Value& a, const Value& b);
Value negate(Runtime& runtime, const Value& value);

/// What iterating over a value yields, or null after a failure. An iterator is emptied. The
/// result lives as long as the runtime.
const std::vector<Value>* iterate(Runtime& runtime, const Value& value);
/// Python's len(), or -1 for what has none.
int64_t length_of(const Value& value);

/// The entry of a dict, or null. Keys that cannot be hashed are not found.
const Value* find_entry(Runtime& runtime, const Dict& dict, const Value& key);

}  // namespace quire::jinja
