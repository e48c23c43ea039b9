#include "engine/template/filters.h"
#include "engine/template/lookup.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "engine/template/sorting.h"
#include "engine/template/text_ops.h"

namespace quire::jinja {

namespace {

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
    items.push_back(runtime.tuple({key, value}));
  }
  return runtime.iterator(std::move(items));
}

using Keyed = std::pair<std::vector<Value>, Value>;

/// Sorts by the keys in front; equal ones keep their order, in reverse too.
std::vector<Value> sort_keyed(Runtime& runtime, std::vector<Keyed> items, bool is_reversed) {
  if (is_reversed) items = {items.rbegin(), items.rend()};
  merge_sort(runtime, items, [&](const Keyed& a, const Keyed& b) {
    for (size_t i = 0; i < a.first.size() && !runtime.failed(); ++i) {
      if (!equals(runtime, a.first[i], b.first[i])) {
        return is_less(runtime, a.first[i], b.first[i]);
      }
    }
    return false;
  });
  if (is_reversed) items = {items.rbegin(), items.rend()};
  std::vector<Value> out;
  for (Keyed& item : items) out.push_back(std::move(item.second));
  return out;
}

/// "a,b" as the two attributes a and b.
std::vector<Value> split_attributes(Runtime& runtime, const Value& attribute) {
  if (!is_text(attribute)) return {attribute};
  const Value comma = runtime.text(",");
  const Value parts = is_text(comma) ? split(runtime, *std::get<TextRef>(attribute),
                                             std::get<TextRef>(comma).get(), -1)
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
    for (const Value& attribute : attributes) {
      keys.push_back(sort_key(runtime, item, attribute, parameters.is_set(1)));
    }
    if (!runtime.reserve(sizeof(Keyed) + keys.size() * sizeof(Value))) return Undefined{};
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

template <bool kLargest>
Value extreme(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "min", {"case_sensitive", "attribute"});
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  if (items->empty()) return Undefined{nullptr, nullptr, "the sequence is empty"};
  Value best = items->front();
  Value best_key = sort_key(runtime, best, parameters.get(1), parameters.is_set(0));
  for (size_t i = 1; i < items->size() && !runtime.failed(); ++i) {
    Value key = sort_key(runtime, (*items)[i], parameters.get(1), parameters.is_set(0));
    if (kLargest ? !is_less(runtime, best_key, key) : !is_less(runtime, key, best_key)) continue;
    best = (*items)[i];
    best_key = std::move(key);
  }
  return best;
}

Value sum_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "sum", {"attribute", "start"});
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  Value total = parameters.has(1) ? parameters.get(1) : Value(int64_t{0});
  if (is_text(total)) return runtime.fail("sum cannot add str; use join");
  for (const Value& item : *items) {
    total = arithmetic(runtime, "+", total, read_path(runtime, item, parameters.get(0)));
    if (runtime.failed()) return Undefined{};
  }
  return total;
}

Value batch_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "batch", {"linecount", "fill_with"}, 1);
  if (!parameters.ok()) return Undefined{};
  const int64_t count = parameters.integer(0, 1);
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items || runtime.failed()) return Undefined{};
  std::vector<Value> rows, row;
  for (const Value& item : *items) {
    if (static_cast<int64_t>(row.size()) == count)
      rows.push_back(runtime.list(std::exchange(row, {})));
    row.push_back(item);
  }
  const auto size = static_cast<int64_t>(row.size());
  if (size > 0 && parameters.has_value(1) && size < count) {
    const auto missing = static_cast<size_t>(count - size);
    if (missing > SIZE_MAX / sizeof(Value) || !runtime.reserve(missing * sizeof(Value))) {
      return runtime.fail("batch: the rows are too long");
    }
    row.insert(row.end(), missing, parameters.get(1));
  }
  if (size > 0) rows.push_back(runtime.list(std::move(row)));
  return runtime.iterator(std::move(rows));
}

Value slice_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "slice", {"slices", "fill_with"}, 1);
  if (!parameters.ok()) return Undefined{};
  const int64_t slices = parameters.integer(0, 1);
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items || runtime.failed()) return Undefined{};
  if (slices == 0) return runtime.fail("division by zero");
  std::vector<Value> columns;
  auto next = items->begin();
  for (int64_t i = 0; i < slices && runtime.charge(); ++i) {
    const auto length = static_cast<int64_t>(items->size());
    const bool has_extra = i < length % slices;
    const auto end = next + length / slices + (has_extra ? 1 : 0);
    std::vector<Value> column(next, end);
    next = end;
    if (parameters.has_value(1) && !has_extra) column.push_back(parameters.get(1));
    columns.push_back(runtime.list(std::move(column)));
  }
  return runtime.iterator(std::move(columns));
}

constexpr NamedFunction kSequenceFilters[] = {
    {"first", first_filter},       {"last", last_filter},     {"list", list_filter},
    {"reverse", reverse_filter},   {"items", items_filter},   {"sort", sort_filter},
    {"dictsort", dictsort_filter}, {"unique", unique_filter}, {"min", extreme<false>},
    {"max", extreme<true>},        {"sum", sum_filter},       {"batch", batch_filter},
    {"slice", slice_filter},
};

}  // namespace

std::span<const NamedFunction> sequence_filters() {
  return kSequenceFilters;
}

}  // namespace quire::jinja
