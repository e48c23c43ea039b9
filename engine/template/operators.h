#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// + - * / // %; integers that leave 64 bits fail.
Value arithmetic(Runtime& runtime, std::string_view op, const Value& a, const Value& b);
Value negate(Runtime& runtime, const Value& value);

/// What iterating over a value yields, or null after a failure. An iterator is emptied. The
/// result lives as long as the runtime.
const std::vector<Value>* iterate(Runtime& runtime, const Value& value);
/// Python's len(), or -1 for what has none.
int64_t length_of(const Value& value);

/// The entry of a dict, or null. Keys that cannot be hashed are not found.
const Value* find_entry(Runtime& runtime, const Dict& dict, const Value& key);

/// value.name as Jinja reads it: a method or attribute first, then a key. Undefined where there is
/// neither; fails on an undefined value. `name` must live as long as the rendering.
Value get_attribute(Runtime& runtime, const Value& value, const std::string& name);

/// value[key] as Jinja reads it: an item first, then an attribute.
Value get_item(Runtime& runtime, const Value& value, const Value& key);

/// value[begin:end:step]; None where omitted. Undefined where value or bounds cannot make a slice.
Value get_slice(Runtime& runtime, const Value& value, const Value& begin, const Value& end,
                const Value& step);

/// A stable sort that stays within bounds whatever the comparison returns: comparisons of an
/// untrusted template's values may fail midway or contradict each other (nan), which std::sort
/// does not allow.
template <typename T, typename Less>
void merge_sort(Runtime& runtime, std::vector<T>& items, Less less) {
  std::vector<T> merged(items.size());
  for (size_t width = 1; width < items.size() && !runtime.failed(); width *= 2) {
    for (size_t begin = 0; begin < items.size() && runtime.charge(width / 8); begin += 2 * width) {
      const size_t middle = std::min(begin + width, items.size());
      const size_t end = std::min(begin + 2 * width, items.size());
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        const bool take_right = left == middle || (right < end && less(items[right], items[left]));
        merged[out] = std::move(items[take_right ? right++ : left++]);
      }
    }
    std::swap(items, merged);
  }
}

}  // namespace quire::jinja
