#include <cmath>

#include "engine/template/format_percent.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

namespace {

Value overflow(Runtime& runtime) {
  return runtime.fail("the integer leaves the supported 64 bits");
}

Value unsupported(Runtime& runtime, std::string_view op, const Value& a, const Value& b) {
  if (is_undefined(a)) return fail_undefined(runtime, a);
  if (is_undefined(b)) return fail_undefined(runtime, b);
  const bool joins_text = op == "+" && (is_text(a) || is_text(b));
  return runtime.fail("unsupported types for " + std::string(op) + ": " + type_name(a) + " and " +
                      type_name(b) + (joins_text ? " (~ joins anything as text)" : ""));
}

Value power(Runtime& runtime, int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) return runtime.fail("zero cannot be raised to a negative power");
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) return overflow(runtime);
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return overflow(runtime);
  }
  return result;
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
  } else if (op == "**") {
    return power(runtime, a, b);
  } else {
    return divide_integers(runtime, op, a, b);
  }
  return overflows ? overflow(runtime) : Value(result);
}

Value doubles(Runtime& runtime, std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "**") {
    if (a == 0 && b < 0) return runtime.fail("zero cannot be raised to a negative power");
    const double result = std::pow(a, b);
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
      return runtime.fail("the result of ** is too large");
    }
    if (std::isnan(result) && !std::isnan(a) && !std::isnan(b)) {
      return runtime.fail("the result of ** is not a real number");
    }
    return result;
  }
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
  std::vector<Value> items;
  for (int64_t i = 0; !sequence.items.empty() && i < count; ++i) {
    // Charged by sequence() again: twice the bytes, for what would otherwise be made first.
    if (!runtime.reserve(sequence.items.size() * sizeof(Value))) return Undefined{};
    items.insert(items.end(), sequence.items.begin(), sequence.items.end());
  }
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
  if (op == "%" && is_text(a)) return format_percent(runtime, *std::get<TextRef>(a), b);
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
