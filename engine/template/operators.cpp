#include "engine/template/operators.h"

#include "engine/template/find.h"
#include "engine/template/print.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

namespace {

bool equal_sequences(Runtime& runtime, const Sequence& a, const Sequence& b) {
  if (&a == &b) return true;
  const bool is_comparable = a.kind == SequenceKind::kList || a.kind == SequenceKind::kTuple ||
                             a.kind == SequenceKind::kRange || a.kind == SequenceKind::kKeys;
  if (!is_comparable || a.kind != b.kind || a.items.size() != b.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (!equals(runtime, a.items[i], b.items[i])) return false;
  }
  return true;
}

bool equal_dicts(Runtime& runtime, const Dict& a, const Dict& b) {
  if (&a == &b) return true;
  if (a.entries.size() != b.entries.size()) return false;
  for (const auto& [key, value] : a.entries) {
    const Value* other = find_entry(runtime, b, key);
    if (!other || !equals(runtime, value, *other)) return false;
  }
  return true;
}

Value unordered(Runtime& runtime, std::string_view op, const Value& a, const Value& b) {
  if (is_undefined(a)) return fail_undefined(runtime, a);
  if (is_undefined(b)) return fail_undefined(runtime, b);
  return runtime.fail("'" + std::string(op) + "' is not supported between " + type_name(a) +
                      " and " + type_name(b));
}

bool less_sequences(Runtime& runtime, const Sequence& a, const Sequence& b) {
  for (size_t i = 0; i < a.items.size() && i < b.items.size(); ++i) {
    if (!equals(runtime, a.items[i], b.items[i])) return is_less(runtime, a.items[i], b.items[i]);
    if (runtime.failed()) return false;
  }
  return a.items.size() < b.items.size();
}

bool is_ordered(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return true;
  if (is_text(a) && is_text(b)) return true;
  return (is_list(a) && is_list(b)) || (is_tuple(a) && is_tuple(b));
}

}  // namespace

bool equals(Runtime& runtime, const Value& a, const Value& b) {
  if (!runtime.charge()) return false;
  if (is_number(a) && is_number(b)) {
    if (is_integer(a) && is_integer(b)) return as_integer(a) == as_integer(b);
    return as_double(a) == as_double(b);
  }
  if (a.index() != b.index()) return false;
  if (is_undefined(a) || is_none(a)) return true;
  if (is_text(a)) {
    runtime.charge(view(a).size() / 256);
    return view(a) == view(b);
  }
  if (is<Sequence*>(a)) {
    return equal_sequences(runtime, *std::get<Sequence*>(a), *std::get<Sequence*>(b));
  }
  if (is<Dict*>(a)) return equal_dicts(runtime, *std::get<Dict*>(a), *std::get<Dict*>(b));
  if (is<Namespace*>(a)) return std::get<Namespace*>(a) == std::get<Namespace*>(b);
  if (is<Callable*>(a)) return std::get<Callable*>(a) == std::get<Callable*>(b);
  return std::get<Loop*>(a) == std::get<Loop*>(b);
}

bool is_less(Runtime& runtime, const Value& a, const Value& b) {
  if (!runtime.charge()) return false;
  if (!is_ordered(a, b)) {
    unordered(runtime, "<", a, b);
    return false;
  }
  if (is_text(a)) {
    runtime.charge(std::min(view(a).size(), view(b).size()) / 256);
    return view(a) < view(b);
  }
  if (is<Sequence*>(a)) {
    return less_sequences(runtime, *std::get<Sequence*>(a), *std::get<Sequence*>(b));
  }
  if (is_integer(a) && is_integer(b)) return as_integer(a) < as_integer(b);
  return as_double(a) < as_double(b);
}

bool compare(Runtime& runtime, std::string_view op, const Value& a, const Value& b) {
  if (op == "==") return equals(runtime, a, b);
  if (op == "!=") return !equals(runtime, a, b);
  if (op == "in") return contains(runtime, b, a);
  if (op == "not in") return !contains(runtime, b, a);
  if (!is_ordered(a, b)) {
    unordered(runtime, op, a, b);
    return false;
  }
  if (op == "<") return is_less(runtime, a, b);
  if (op == ">") return is_less(runtime, b, a);
  if (op == "<=") return is_less(runtime, a, b) || equals(runtime, a, b);
  return is_less(runtime, b, a) || equals(runtime, a, b);
}

bool contains(Runtime& runtime, const Value& container, const Value& item) {
  if (is_text(container)) {
    if (!is_text(item)) {
      runtime.fail(std::string("'in <str>' needs a str on its left, not ") + type_name(item));
      return false;
    }
    return Finder(runtime, view(item)).find(view(container), 0) != std::string_view::npos;
  }
  if (is<Dict*>(container)) return find_entry(runtime, *std::get<Dict*>(container), item);
  const std::vector<Value>* items = iterate(runtime, container);
  if (!items) return false;
  for (const Value& candidate : *items) {
    if (equals(runtime, candidate, item)) return true;
    if (runtime.failed()) return false;
  }
  return false;
}

const Value* find_entry(Runtime& runtime, const Dict& dict, const Value& key) {
  for (const auto& [name, value] : dict.entries) {
    if (equals(runtime, name, key)) return &value;
  }
  return nullptr;
}

int64_t length_of(const Value& value) {
  if (is_undefined(value)) return 0;
  if (is_text(value)) return static_cast<int64_t>(count_code_points(view(value)));
  if (is<Dict*>(value)) return static_cast<int64_t>(std::get<Dict*>(value)->entries.size());
  if (is<Loop*>(value)) return static_cast<int64_t>(std::get<Loop*>(value)->items->size());
  if (!is<Sequence*>(value) || is_sequence_kind(value, SequenceKind::kIterator)) return -1;
  return static_cast<int64_t>(std::get<Sequence*>(value)->items.size());
}

/// The items as an anonymous sequence that lives as long as the runtime.
static const std::vector<Value>* own(Runtime& runtime, std::vector<Value> items) {
  const Value sequence = runtime.tuple(std::move(items));
  return runtime.failed() ? nullptr : &std::get<Sequence*>(sequence)->items;
}

const std::vector<Value>* iterate(Runtime& runtime, const Value& value) {
  static const std::vector<Value> kNothing;
  if (!runtime.charge()) return nullptr;
  if (is_undefined(value)) return &kNothing;
  if (is<Sequence*>(value)) {
    Sequence& sequence = *std::get<Sequence*>(value);
    if (sequence.kind != SequenceKind::kIterator || sequence.next == 0) {
      if (sequence.kind == SequenceKind::kIterator) sequence.next = sequence.items.size();
      return sequence.kind == SequenceKind::kIterator && sequence.items.empty() ? &kNothing
                                                                                : &sequence.items;
    }
    const size_t from = std::exchange(sequence.next, sequence.items.size());
    return own(runtime,
               {sequence.items.begin() + static_cast<ptrdiff_t>(from), sequence.items.end()});
  }
  std::vector<Value> items;
  if (is<Dict*>(value)) {
    for (const auto& [key, entry] : std::get<Dict*>(value)->entries) items.push_back(key);
  } else if (is_text(value)) {
    const Text& text = *std::get<TextRef>(value);
    for (size_t at = 0; at < text.bytes().size() && !runtime.failed();) {
      const size_t end = at + decode(text.view(), at).length;
      items.push_back(runtime.slice(text, at, end));
      if (!runtime.reserve(sizeof(Value))) return nullptr;
      at = end;
    }
  } else {
    runtime.fail(std::string("a value of type ") + type_name(value) + " cannot be iterated over");
    return nullptr;
  }
  return own(runtime, std::move(items));
}

}  // namespace quire::jinja
