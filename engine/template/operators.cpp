#include "engine/template/operators.h"

#include <cmath>
#include <cstdint>

#include "engine/template/print.h"
#include "engine/template/strings.h"

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
    if (runtime.failed()) return nullptr;
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

namespace {

Value overflow(Runtime& runtime) {
  return runtime.fail("the integer leaves the supported 64 bits");
}

Value unsupported(Runtime& runtime, std::string_view op, const Value& a, const Value& b) {
  if (is_undefined(a)) return fail_undefined(runtime, a);
  if (is_undefined(b)) return fail_undefined(runtime, b);
  if (op == "%" && is_text(a)) {
    return runtime.fail("text cannot be formatted with % in a chat template; join it with ~");
  }
  const bool joins_text = op == "+" && (is_text(a) || is_text(b));
  return runtime.fail("unsupported types for " + std::string(op) + ": " + type_name(a) + " and " +
                      type_name(b) + (joins_text ? " (~ joins anything as text)" : ""));
}

/// Rounded down, as Python divides; the divisor is neither 0 nor -1.
int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Value divide_integers(Runtime& runtime, std::string_view op, int64_t a, int64_t b) {
  if (b == 0) return runtime.fail("division by zero");
  if (op == "/") return static_cast<double>(a) / static_cast<double>(b);
  if (b == -1) {
    if (op == "%") return int64_t{0};
    return a == INT64_MIN ? overflow(runtime) : Value(-a);
  }
  if (op == "//") return floor_divide(a, b);
  return a - floor_divide(a, b) * b;
}

Value integers(Runtime& runtime, std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  if (op == "+") {
    overflows = __builtin_add_overflow(a, b, &result);
  } else if (op == "-") {
    overflows = __builtin_sub_overflow(a, b, &result);
  } else if (op == "*") {
    overflows = __builtin_mul_overflow(a, b, &result);
  } else {
    return divide_integers(runtime, op, a, b);
  }
  return overflows ? overflow(runtime) : Value(result);
}

Value doubles(Runtime& runtime, std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (b == 0) return runtime.fail("division by zero");
  if (op == "/") return a / b;
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0)) remainder += b;
  if (op == "%") return remainder == 0 ? std::copysign(0.0, b) : remainder;
  return std::floor((a - remainder) / b + 0.5);
}

Value repeat_text(Runtime& runtime, const Text& text, int64_t count) {
  TextBuilder builder(runtime);
  const auto size = static_cast<int64_t>(text.bytes().size());
  const auto limit = static_cast<int64_t>(runtime.limits().max_output_bytes);
  if (count > 0 && size > 0 && count > limit / size) {
    return runtime.fail("a repeated text is longer than the allowed " + std::to_string(limit) +
                        " bytes");
  }
  for (int64_t i = 0; size > 0 && i < count && runtime.charge(); ++i) builder.append(text);
  return builder.finish();
}

Value repeat_sequence(Runtime& runtime, const Sequence& sequence, int64_t count) {
  const std::vector<Value>& once = sequence.items;
  size_t bytes = 0;
  if (count <= 0 || once.empty()) return runtime.sequence(sequence.kind, {});
  if (__builtin_mul_overflow(once.size() * sizeof(Value), static_cast<size_t>(count), &bytes)) {
    bytes = SIZE_MAX;
  }
  // sequence() counts the bytes again; without this check they would be allocated before it.
  if (!runtime.reserve(bytes)) return Undefined{};
  std::vector<Value> items;
  items.reserve(bytes / sizeof(Value));
  for (int64_t i = 0; i < count; ++i) items.insert(items.end(), once.begin(), once.end());
  return runtime.sequence(sequence.kind, std::move(items));
}

Value repeat(Runtime& runtime, const Value& value, int64_t count) {
  if (is_text(value)) return repeat_text(runtime, *std::get<TextRef>(value), count);
  return repeat_sequence(runtime, *std::get<Sequence*>(value), count);
}

Value add(Runtime& runtime, const Value& a, const Value& b) {
  if (is_text(a) && is_text(b)) {
    TextBuilder builder(runtime);
    builder.append(*std::get<TextRef>(a));
    builder.append(*std::get<TextRef>(b));
    return builder.finish();
  }
  const bool is_row = (is_list(a) && is_list(b)) || (is_tuple(a) && is_tuple(b));
  if (!is_row) return unsupported(runtime, "+", a, b);
  const Sequence& left = *std::get<Sequence*>(a);
  const Sequence& right = *std::get<Sequence*>(b);
  if (!runtime.reserve((left.items.size() + right.items.size()) * sizeof(Value))) {
    return Undefined{};
  }
  std::vector<Value> items = left.items;
  items.insert(items.end(), right.items.begin(), right.items.end());
  return runtime.sequence(left.kind, std::move(items));
}

bool can_repeat(const Value& value) {
  return is_text(value) || is_list(value) || is_tuple(value);
}

}  // namespace

Value arithmetic(Runtime& runtime, std::string_view op, const Value& a, const Value& b) {
  if (is_integer(a) && is_integer(b)) return integers(runtime, op, as_integer(a), as_integer(b));
  if (is_number(a) && is_number(b)) return doubles(runtime, op, as_double(a), as_double(b));
  if (op == "*" && can_repeat(a) && is_integer(b)) return repeat(runtime, a, as_integer(b));
  if (op == "*" && is_integer(a) && can_repeat(b)) return repeat(runtime, b, as_integer(a));
  if (op == "+") return add(runtime, a, b);
  return unsupported(runtime, op, a, b);
}

Value negate(Runtime& runtime, const Value& value) {
  if (is<double>(value)) return -std::get<double>(value);
  if (is_undefined(value)) return fail_undefined(runtime, value);
  if (!is_integer(value)) {
    return runtime.fail(std::string("a value of type ") + type_name(value) + " has no negative");
  }
  const int64_t integer = as_integer(value);
  return integer == INT64_MIN ? overflow(runtime) : Value(-integer);
}

}  // namespace quire::jinja
