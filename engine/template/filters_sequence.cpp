#include <algorithm>

#include "engine/template/function.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "engine/template/strings.h"

namespace quire::jinja {

namespace {

/// An item's key in sorts: its attribute, texts in lower case unless the case matters.
Value sort_key(Runtime& runtime, const Value& item, const Value& attribute, bool case_sensitive) {
  const Value key = read_path(runtime, item, attribute);
  if (case_sensitive || !is_text(key) || runtime.failed()) return key;
  return lower(runtime, *std::get<TextRef>(key));
}

Value first_filter(Runtime& runtime, const Value& self, const Arguments&) {
  if (is_sequence_kind(self, SequenceKind::kIterator)) {
    Sequence& iterator = *std::get<Sequence*>(self);
    if (iterator.next < iterator.items.size()) return iterator.items[iterator.next++];
  } else if (is_text(self)) {
    if (is_true(self)) return get_item(runtime, self, int64_t{0});
  } else if (const std::vector<Value>* items = iterate(runtime, self); items && !items->empty()) {
    return items->front();
  }
  return Undefined{nullptr, nullptr, "the sequence has no first item: it is empty"};
}

Value last_filter(Runtime& runtime, const Value& self, const Arguments&) {
  if (is_sequence_kind(self, SequenceKind::kIterator)) {
    return runtime.fail("last needs a sequence, not a generator");
  }
  if (is_text(self)) {
    if (is_true(self)) return get_item(runtime, self, int64_t{-1});
  } else if (const std::vector<Value>* items = iterate(runtime, self); items && !items->empty()) {
    return items->back();
  }
  return Undefined{nullptr, nullptr, "the sequence has no last item: it is empty"};
}

Value list_filter(Runtime& runtime, const Value& self, const Arguments&) {
  const std::vector<Value>* items = iterate(runtime, self);
  return items ? runtime.list(*items) : Value(Undefined{});
}

Value reverse_filter(Runtime& runtime, const Value& self, const Arguments&) {
  if (is_text(self)) return reverse(runtime, *std::get<TextRef>(self));
  const std::vector<Value>* items = iterate(runtime, self);
  return items ? runtime.iterator({items->rbegin(), items->rend()}) : Value(Undefined{});
}

Value items_filter(Runtime& runtime, const Value& self, const Arguments&) {
  if (is_undefined(self)) return runtime.iterator({});
  if (!is<Dict*>(self)) return runtime.fail("items needs a dict");
  std::vector<Value> items;
  for (const auto& [key, value] : std::get<Dict*>(self)->entries) {
    if (!runtime.charge()) return Undefined{};
    items.push_back(runtime.tuple({key, value}));
  }
  return runtime.iterator(std::move(items));
}

using Keyed = std::pair<std::vector<Value>, Value>;

/// Sorts by the keys in front; equal ones keep their order, in reverse too.
std::vector<Value> sort_keyed(Runtime& runtime, std::vector<Keyed> items, bool is_reversed) {
  if (is_reversed) std::reverse(items.begin(), items.end());
  merge_sort(runtime, items, [&](const Keyed& a, const Keyed& b) {
    for (size_t i = 0; i < a.first.size() && !runtime.failed(); ++i) {
      if (!equals(runtime, a.first[i], b.first[i])) {
        return is_less(runtime, a.first[i], b.first[i]);
      }
    }
    return false;
  });
  if (is_reversed) std::reverse(items.begin(), items.end());
  std::vector<Value> out;
  for (Keyed& item : items) out.push_back(std::move(item.second));
  return out;
}

/// "a,b" as the two attributes a and b.
std::vector<Value> split_attributes(Runtime& runtime, const Value& attribute) {
  if (!is_text(attribute)) return {attribute};
  const Value comma = runtime.text(",");
  const Value parts = is_text(comma) ? split(runtime, *std::get<TextRef>(attribute),
                                             std::get<TextRef>(comma).get(), -1, false)
                                     : comma;
  return is_list(parts) ? std::get<Sequence*>(parts)->items : std::vector<Value>{};
}

Value sort_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "sort",
                              {"reverse", "case_sensitive", "attribute"});
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  const std::vector<Value> attributes = split_attributes(runtime, parameters.get(2));
  std::vector<Keyed> keyed;
  for (const Value& item : *items) {
    std::vector<Value> keys;
    keys.reserve(attributes.size());
    for (const Value& attribute : attributes) {
      if (!runtime.reserve(sizeof(Value))) return Undefined{};
      keys.push_back(sort_key(runtime, item, attribute, parameters.is_set(1)));
    }
    if (!runtime.reserve(sizeof(Keyed))) return Undefined{};
    keyed.emplace_back(std::move(keys), item);
  }
  return runtime.list(sort_keyed(runtime, std::move(keyed), parameters.is_set(0)));
}

Value dictsort_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "dictsort", {"case_sensitive", "by", "reverse"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  if (!is<Dict*>(self)) return runtime.fail("dictsort needs a dict");
  const TextRef by = parameters.text(1);
  const bool by_value = by->view() == "value";
  if (parameters.has(1) && !by_value && by->view() != "key") {
    return runtime.fail("dictsort sorts by key or by value");
  }
  std::vector<Keyed> keyed;
  for (const auto& [key, value] : std::get<Dict*>(self)->entries) {
    if (!runtime.reserve(sizeof(Keyed) + sizeof(Value))) return Undefined{};
    const Value order =
        sort_key(runtime, by_value ? value : key, Undefined{}, parameters.is_set(0));
    keyed.emplace_back(std::vector<Value>{order}, runtime.tuple({key, value}));
  }
  return runtime.list(sort_keyed(runtime, std::move(keyed), parameters.is_set(2)));
}

Value unique_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "unique", {"case_sensitive", "attribute"});
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  std::vector<Value> seen, out;
  for (const Value& item : *items) {
    const Value key = sort_key(runtime, item, parameters.get(1), parameters.is_set(0));
    if (is_list(key) || is<Dict*>(key)) return runtime.fail("unique cannot compare lists or dicts");
    bool is_new = true;
    for (size_t i = 0; is_new && i < seen.size(); ++i) is_new = !equals(runtime, seen[i], key);
    if (runtime.failed()) return Undefined{};
    if (!is_new) continue;
    seen.push_back(key);
    out.push_back(item);
  }
  return runtime.iterator(std::move(out));
}

/// The arguments from `from` on, for the filter or test that the ones before name.
Arguments rest(const Arguments& arguments, size_t from) {
  Arguments out;
  out.positional.assign(arguments.positional.begin() + static_cast<ptrdiff_t>(from),
                        arguments.positional.end());
  out.named = arguments.named;
  return out;
}

Value map_attribute(Runtime& runtime, const std::vector<Value>& items, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "map", {"attribute", "default"}, 1);
  if (!parameters.ok()) return Undefined{};
  const Value fallback = parameters.get(1);
  std::vector<Value> out;
  for (const Value& item : items) {
    out.push_back(
        read_path(runtime, item, parameters.get(0), parameters.has_value(1) ? &fallback : nullptr));
    if (runtime.failed()) return Undefined{};
  }
  return runtime.iterator(std::move(out));
}

Value map_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (!is_true(self)) return runtime.iterator({});
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  if (arguments.positional.empty()) return map_attribute(runtime, *items, arguments);
  const Value& name = arguments.positional[0];
  const Function filter = is_text(name) ? find_filter(view(name)) : nullptr;
  if (!filter) {
    return runtime.fail(is_text(name) ? missing_function("filter", view(name))
                                      : "map needs a filter's name");
  }
  const Arguments forwarded = rest(arguments, 1);
  std::vector<Value> out;
  for (const Value& item : *items) {
    if (!runtime.charge()) return Undefined{};
    out.push_back(filter(runtime, item, forwarded));
    if (runtime.failed()) return Undefined{};
  }
  return runtime.iterator(std::move(out));
}

/// select, reject, selectattr and rejectattr.
template <bool kByAttribute, bool kKeeps>
Value selected(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (!is_true(self)) return runtime.iterator({});
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  const size_t first = kByAttribute ? 1 : 0;
  if (arguments.positional.size() < first) return runtime.fail("the attribute's name is missing");
  const bool has_test = arguments.positional.size() > first;
  Function test = nullptr;
  if (has_test) {
    const Value& name = arguments.positional[first];
    test = is_text(name) ? find_test(view(name)) : nullptr;
    if (!test)
      return runtime.fail(missing_function("test", is_text(name) ? view(name) : type_name(name)));
  }
  const Arguments forwarded = has_test ? rest(arguments, first + 1) : Arguments{};
  std::vector<Value> out;
  for (const Value& item : *items) {
    if (!runtime.charge()) return Undefined{};
    const Value value = kByAttribute ? read_path(runtime, item, arguments.positional[0]) : item;
    if (runtime.failed()) return Undefined{};
    const bool passes = is_true(test ? test(runtime, value, forwarded) : value);
    if (runtime.failed()) return Undefined{};
    if (passes == kKeeps) out.push_back(item);
  }
  return runtime.iterator(std::move(out));
}

constexpr NamedFunction kSequenceFilters[] = {
    {"first", first_filter},
    {"last", last_filter},
    {"list", list_filter},
    {"reverse", reverse_filter},
    {"items", items_filter},
    {"sort", sort_filter},
    {"dictsort", dictsort_filter},
    {"unique", unique_filter},
    {"map", map_filter},
    {"select", selected<false, true>},
    {"reject", selected<false, false>},
    {"selectattr", selected<true, true>},
    {"rejectattr", selected<true, false>},
};

}  // namespace

std::span<const NamedFunction> sequence_filters() {
  return kSequenceFilters;
}

}  // namespace quire::jinja
