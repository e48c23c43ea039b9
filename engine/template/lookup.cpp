#include "engine/template/function.h"

#include <algorithm>

#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

namespace {

const std::vector<Value>& items_of(const Value& self) {
  return std::get<Sequence*>(self)->items;
}

Value index_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "index", {"value"}, 1);
  if (!parameters.ok()) return Undefined{};
  const auto& items = items_of(self);
  for (size_t i = 0; i < items.size() && !runtime.failed(); ++i) {
    if (equals(runtime, items[i], parameters.get(0))) return static_cast<int64_t>(i);
  }
  return runtime.fail("index(): the value is not in the list");
}

template <SequenceKind kKind>
Value view_of(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "this method of dict", {});
  if (!parameters.ok()) return Undefined{};
  std::vector<Value> items;
  for (const auto& [key, value] : std::get<Dict*>(self)->entries) {
    if (!runtime.charge()) return Undefined{};
    if (kKind == SequenceKind::kItems) {
      items.push_back(runtime.tuple({key, value}));
    } else {
      items.push_back(kKind == SequenceKind::kKeys ? key : value);
    }
  }
  return runtime.sequence(kKind, std::move(items));
}

Value get_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "get", {"key", "default"}, 1);
  if (!parameters.ok()) return Undefined{};
  const Value key = parameters.get(0);
  if (is_list(key) || is<Dict*>(key)) return runtime.fail("a list or a dict cannot be a key");
  if (const Value* entry = find_entry(runtime, *std::get<Dict*>(self), key)) return *entry;
  return parameters.has(1) ? parameters.get(1) : Value(None{});
}

constexpr NamedFunction kRowMethods[] = {{"index", index_method}};
constexpr NamedFunction kDictMethods[] = {{"items", view_of<SequenceKind::kItems>},
                                          {"keys", view_of<SequenceKind::kKeys>},
                                          {"values", view_of<SequenceKind::kValues>},
                                          {"get", get_method}};

Value item_or_undefined(const Loop& loop, size_t index, const char* hint) {
  if (index < loop.items->size()) return (*loop.items)[index];
  return Undefined{nullptr, nullptr, hint};
}

/// A method of lists, tuples and dicts; null where there is none.
Function find_container_method(const Value& container, std::string_view name) {
  if (is_list(container) || is_tuple(container) ||
      is_sequence_kind(container, SequenceKind::kRange)) {
    return find_function(kRowMethods, name);
  }
  return is<Dict*>(container) ? find_function(kDictMethods, name) : nullptr;
}

/// loop.index and the others; undefined where there is none.
Value get_loop_attribute(const Loop& loop, std::string_view name) {
  const auto index0 = static_cast<int64_t>(loop.index0);
  const auto length = static_cast<int64_t>(loop.items->size());
  if (name == "index0") return index0;
  if (name == "index") return index0 + 1;
  if (name == "first") return index0 == 0;
  if (name == "last") return index0 + 1 == length;
  if (name == "length") return length;
  if (name == "revindex") return length - index0;
  if (name == "revindex0") return length - index0 - 1;
  // Before the first item the index wraps beyond the end.
  if (name == "previtem")
    return item_or_undefined(loop, loop.index0 - 1, "there is no previous item");
  if (name == "nextitem") return item_or_undefined(loop, loop.index0 + 1, "there is no next item");
  return Undefined{};
}

/// Attributes and methods alone, without keys.
Value find_attribute(Runtime& runtime, const Value& value, std::string_view name) {
  if (is<Loop*>(value)) return get_loop_attribute(*std::get<Loop*>(value), name);
  if (is<Namespace*>(value)) {
    const auto& attributes = std::get<Namespace*>(value)->attributes;
    if (!runtime.charge(attributes.size() / 8)) return Undefined{};
    for (const auto& [key, entry] : attributes) {
      if (equal_names(runtime, key, name)) return entry;
    }
    return Undefined{};
  }
  if (is<Callable*>(value) && name == "name") {
    return runtime.text(std::string(std::get<Callable*>(value)->name));
  }
  const Function method =
      is_text(value) ? find_text_method(name) : find_container_method(value, name);
  if (method) return bind_function(runtime, name, method, value);
  return Undefined{};
}

bool is_found(const Value& value) {
  return !is_undefined(value) || std::get<Undefined>(value).hint != nullptr;
}

/// The place in a row of `size` that a Python index means, or -1.
int64_t wrap_index(int64_t index, int64_t size) {
  if (index < 0) index += size;
  return index >= 0 && index < size ? index : -1;
}

/// value[key] for a row of values, or a text; undefined where out of range.
Value item_at(Runtime& runtime, const Value& value, int64_t index) {
  if (is<Sequence*>(value)) {
    const auto& items = std::get<Sequence*>(value)->items;
    const int64_t at = wrap_index(index, static_cast<int64_t>(items.size()));
    return at < 0 ? Value(Undefined{}) : items[static_cast<size_t>(at)];
  }
  const Text& text = *std::get<TextRef>(value);
  runtime.charge(text.bytes().size() / 64);
  const int64_t at = wrap_index(index, length_of(value));
  if (at < 0) return Undefined{};
  const size_t begin = byte_offset(text.view(), static_cast<size_t>(at));
  return runtime.slice(text, begin, begin + decode(text.view(), begin).length);
}

bool is_indexed(const Value& value) {
  return is_text(value) || is_list(value) || is_tuple(value) ||
         is_sequence_kind(value, SequenceKind::kRange);
}

/// Python's slice.indices(): the first index, and how many follow at `step`.
struct SliceIndices {
  int64_t begin = 0;
  int64_t count = 0;
};

int64_t clamp_bound(const Value& bound, int64_t fallback, int64_t size, bool is_backwards) {
  if (!is_integer(bound)) return fallback;
  int64_t index = as_integer(bound);
  if (index < 0) index = std::max<int64_t>(index, -size - 1) + size;
  return std::clamp<int64_t>(index, is_backwards ? -1 : 0, is_backwards ? size - 1 : size);
}

SliceIndices slice_indices(const Value& begin, const Value& end, int64_t step, int64_t size) {
  const bool is_backwards = step < 0;
  const int64_t from = clamp_bound(begin, is_backwards ? size - 1 : 0, size, is_backwards);
  const int64_t to = clamp_bound(end, is_backwards ? -1 : size, size, is_backwards);
  const uint64_t distance = static_cast<uint64_t>(is_backwards ? from - to : to - from);
  if (is_backwards ? from <= to : from >= to) return {from, 0};
  const uint64_t stride =
      is_backwards ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  return {from, static_cast<int64_t>((distance - 1) / stride + 1)};
}

Value slice_text(Runtime& runtime, const Text& text, SliceIndices indices, int64_t step) {
  if (indices.count == 0) return runtime.text("");
  const std::string_view bytes = text.view();
  size_t at = byte_offset(bytes, static_cast<size_t>(indices.begin));
  if (step == 1) {
    const size_t length = byte_offset(bytes.substr(at), static_cast<size_t>(indices.count));
    return runtime.slice(text, at, at + length);
  }
  TextBuilder builder(runtime);
  for (int64_t left = indices.count; left > 0 && runtime.charge(); --left) {
    builder.append(text, at, at + decode(bytes, at).length);
    if (left == 1) break;  // The step leads out of the text.
    if (step > 0) at += byte_offset(bytes.substr(at), static_cast<size_t>(step));
    for (int64_t i = step; i < 0; ++i) at = previous(bytes, at);
  }
  return builder.finish();
}

}  // namespace

Value get_attribute(Runtime& runtime, const Value& value, const std::string& name) {
  if (is_undefined(value)) return fail_undefined(runtime, value);
  const Value attribute = find_attribute(runtime, value, name);
  if (is_found(attribute)) return attribute;
  if (is<Dict*>(value)) {
    const auto& entries = std::get<Dict*>(value)->entries;
    if (!runtime.charge(entries.size() / 8)) return Undefined{};
    for (const auto& [key, entry] : entries) {
      if (is_text(key) && equal_names(runtime, view(key), name)) return entry;
    }
  }
  return Undefined{&name, type_name(value), nullptr};
}

Value get_item(Runtime& runtime, const Value& value, const Value& key) {
  if (is_undefined(value)) return fail_undefined(runtime, value);
  if (is<Dict*>(value)) {
    if (const Value* entry = find_entry(runtime, *std::get<Dict*>(value), key)) return *entry;
  } else if (is_indexed(value) && is_integer(key)) {
    const Value item = item_at(runtime, value, as_integer(key));
    if (!is_undefined(item)) return item;
  }
  if (is_text(key)) {
    const Value attribute = find_attribute(runtime, value, view(key));
    if (is_found(attribute)) return attribute;
    return Undefined{runtime.keep(view(key)), type_name(value), nullptr};
  }
  return Undefined{nullptr, nullptr, "the element that was asked for does not exist"};
}

Value get_slice(Runtime& runtime, const Value& value, const Value& begin, const Value& end,
                const Value& step) {
  if (is_undefined(value)) return fail_undefined(runtime, value);
  const Value none = Undefined{nullptr, nullptr, "the slice that was asked for does not exist"};
  if (!is_indexed(value)) return none;
  for (const Value* bound : {&begin, &end, &step}) {
    if (!is_none(*bound) && !is_integer(*bound)) return none;
  }
  const int64_t stride = is_integer(step) ? as_integer(step) : 1;
  if (stride == 0) return runtime.fail("a slice's step cannot be zero");
  const SliceIndices indices = slice_indices(begin, end, stride, length_of(value));
  if (is_text(value)) {
    const Text& text = *std::get<TextRef>(value);
    runtime.charge(text.bytes().size() / 16);
    return slice_text(runtime, text, indices, stride);
  }
  const Sequence& row = *std::get<Sequence*>(value);
  std::vector<Value> items;
  for (int64_t i = 0; i < indices.count; ++i) {
    items.push_back(row.items[static_cast<size_t>(indices.begin + i * stride)]);
  }
  const bool is_range = row.kind == SequenceKind::kRange;
  return runtime.sequence(is_range ? SequenceKind::kList : row.kind, std::move(items));
}

}  // namespace quire::jinja
