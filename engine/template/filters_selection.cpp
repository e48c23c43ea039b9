#include <algorithm>

#include "engine/template/filters.h"
#include "engine/template/operators.h"
#include "engine/template/sorting.h"

namespace quire::jinja {

namespace {

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
  if (!filter) return runtime.fail("map needs the name of a filter");
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
    if (!test) return runtime.fail(missing_test(is_text(name) ? view(name) : type_name(name)));
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

Value groupby_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "groupby",
                              {"attribute", "default", "case_sensitive"}, 1);
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  const Value fallback = parameters.get(1);
  const Value* default_value = parameters.has_value(1) ? &fallback : nullptr;
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : *items) {
    const Value key = read_path(runtime, item, parameters.get(0), default_value);
    if (runtime.failed()) return Undefined{};
    keyed.emplace_back(sort_key(runtime, key, Undefined{}, parameters.is_set(2)), item);
  }
  merge_sort(runtime, keyed,
             [&](const auto& a, const auto& b) { return is_less(runtime, a.first, b.first); });
  std::vector<Value> groups;
  for (size_t begin = 0; begin < keyed.size() && !runtime.failed();) {
    size_t end = begin;
    std::vector<Value> members;
    while (end < keyed.size() && equals(runtime, keyed[begin].first, keyed[end].first)) {
      members.push_back(keyed[end++].second);
    }
    end = std::max(end, begin + 1);  // nan is not even equal to itself.
    if (members.empty()) members.push_back(keyed[begin].second);
    const Value name = read_path(runtime, members[0], parameters.get(0), default_value);
    groups.push_back(runtime.tuple({name, runtime.list(std::move(members))}));
    if (runtime.failed()) return Undefined{};
    std::get<Sequence*>(groups.back())->is_group = true;
    begin = end;
  }
  return runtime.list(std::move(groups));
}

constexpr NamedFunction kSelectionFilters[] = {
    {"map", map_filter},
    {"select", selected<false, true>},
    {"reject", selected<false, false>},
    {"selectattr", selected<true, true>},
    {"rejectattr", selected<true, false>},
    {"groupby", groupby_filter},
};

}  // namespace

std::span<const NamedFunction> selection_filters() {
  return kSelectionFilters;
}

}  // namespace quire::jinja
