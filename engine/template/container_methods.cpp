#include <cmath>

#include "engine/template/lookup.h"
#include "engine/template/operators.h"

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

Value count_item_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "count", {"value"}, 1);
  if (!parameters.ok()) return Undefined{};
  int64_t count = 0;
  for (const Value& item : items_of(self)) count += equals(runtime, item, parameters.get(0));
  return count;
}

Value copy_method(Runtime&, const Value& self, const Arguments&) {
  return self;  // Nothing can change it, so that a copy could not be told apart.
}

template <SequenceKind kKind>
Value view_of(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "this method of dict", {});
  if (!parameters.ok()) return Undefined{};
  std::vector<Value> items;
  for (const auto& [key, value] : std::get<Dict*>(self)->entries) {
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

constexpr NamedFunction kListMethods[] = {
    {"index", index_method}, {"count", count_item_method}, {"copy", copy_method}};
constexpr NamedFunction kTupleMethods[] = {{"index", index_method}, {"count", count_item_method}};
constexpr NamedFunction kDictMethods[] = {{"items", view_of<SequenceKind::kItems>},
                                          {"keys", view_of<SequenceKind::kKeys>},
                                          {"values", view_of<SequenceKind::kValues>},
                                          {"get", get_method},
                                          {"copy", copy_method}};

Value cycle_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (arguments.positional.empty()) return runtime.fail("cycle() needs something to cycle through");
  const size_t index = std::get<Loop*>(self)->index0;
  return arguments.positional[index % arguments.positional.size()];
}

Value changed_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Loop& loop = *std::get<Loop*>(self);
  bool is_same = loop.has_changed_value && loop.changed_value.size() == arguments.positional.size();
  for (size_t i = 0; is_same && i < arguments.positional.size(); ++i) {
    is_same = equals(runtime, loop.changed_value[i], arguments.positional[i]);
  }
  loop.has_changed_value = true;
  loop.changed_value = arguments.positional;
  return !is_same;
}

Value item_or_undefined(const Loop& loop, size_t index, const char* hint) {
  if (index < loop.items->size()) return (*loop.items)[index];
  return Undefined{nullptr, nullptr, hint};
}

Value is_integer_method(Runtime&, const Value& self, const Arguments&) {
  const double value = std::get<double>(self);
  return std::isfinite(value) && value == std::floor(value);
}

constexpr NamedFunction kFloatMethods[] = {{"is_integer", is_integer_method}};

}  // namespace

Function find_container_method(const Value& container, std::string_view name) {
  if (is_list(container)) return find_function(kListMethods, name);
  if (is_tuple(container) || is_sequence_kind(container, SequenceKind::kRange)) {
    return find_function(kTupleMethods, name);
  }
  if (is<double>(container)) return find_function(kFloatMethods, name);
  return is<Dict*>(container) ? find_function(kDictMethods, name) : nullptr;
}

Value get_loop_attribute(Runtime& runtime, Loop& loop, std::string_view name) {
  const auto index0 = static_cast<int64_t>(loop.index0);
  const auto length = static_cast<int64_t>(loop.items->size());
  if (name == "index0") return index0;
  if (name == "index") return index0 + 1;
  if (name == "first") return index0 == 0;
  if (name == "last") return index0 + 1 == length;
  if (name == "length") return length;
  if (name == "revindex") return length - index0;
  if (name == "revindex0") return length - index0 - 1;
  if (name == "depth0") return int64_t{loop.depth0};
  if (name == "depth") return int64_t{loop.depth0} + 1;
  // Before the first item the index wraps beyond the end.
  if (name == "previtem")
    return item_or_undefined(loop, loop.index0 - 1, "there is no previous item");
  if (name == "nextitem") return item_or_undefined(loop, loop.index0 + 1, "there is no next item");
  if (name == "cycle") return bind_function(runtime, "cycle", cycle_method, &loop);
  if (name == "changed") return bind_function(runtime, "changed", changed_method, &loop);
  return Undefined{};
}

}  // namespace quire::jinja
