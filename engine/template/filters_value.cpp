#include <cmath>

#include "engine/template/filters.h"
#include "engine/template/json_writer.h"
#include "engine/template/lookup.h"
#include "engine/template/numbers.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

namespace {

Value length_filter(Runtime& runtime, const Value& self, const Arguments&) {
  const int64_t length = length_of(self);
  if (length < 0) {
    return runtime.fail(std::string("a value of type ") + type_name(self) + " has no length");
  }
  if (is_text(self)) runtime.charge(view(self).size() / 64);
  return length;
}

Value default_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "default", {"default_value", "boolean"});
  if (!parameters.ok()) return Undefined{};
  if (!is_undefined(self) && !(parameters.is_set(1) && !is_true(self))) return self;
  return parameters.has(0) ? parameters.get(0) : runtime.text("");
}

Value int_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "int", {"default", "base"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  const Value fallback = parameters.has(0) ? parameters.get(0) : Value(int64_t{0});
  if (is_integer(self)) return as_integer(self);
  if (is<double>(self)) {
    const double value = std::get<double>(self);
    return std::isfinite(value) ? truncate_double(runtime, value) : fallback;
  }
  if (!is_text(self)) return fallback;
  const int64_t base = parameters.integer(1, 10);
  if (base < 0 || base > 36) return fallback;
  if (auto value = parse_integer(runtime, view(self), static_cast<int>(base))) return *value;
  const auto value = parse_double(view(self));
  return value && std::isfinite(*value) ? truncate_double(runtime, *value) : fallback;
}

Value float_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "float", {"default"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  if (is_number(self)) return as_double(self);
  if (is_text(self)) {
    if (auto value = parse_double(view(self))) return *value;
  }
  return parameters.has(0) ? parameters.get(0) : Value(0.0);
}

Value abs_filter(Runtime& runtime, const Value& self, const Arguments&) {
  if (is<double>(self)) return std::fabs(std::get<double>(self));
  if (is_integer(self) && as_integer(self) >= 0) return as_integer(self);
  return negate(runtime, self);
}

/// Digits beyond which rounding a double changes nothing.
constexpr int64_t kMostDigits = 330;

double round_double(double value, int64_t precision) {
  if (!std::isfinite(value) || precision > kMostDigits) return value;
  if (precision >= 0) {
    return parse_double(format_double(value, 'f', static_cast<int>(precision))).value_or(value);
  }
  if (precision < -kMostDigits) return 0.0;
  const double scale = std::pow(10.0, static_cast<double>(-precision));
  return std::isfinite(scale) ? std::nearbyint(value / scale) * scale : 0.0;
}

/// An int rounded to tens, hundreds ..., halves to even.
Value round_integer(Runtime& runtime, int64_t value, int64_t precision) {
  if (precision >= 0) return value;
  int64_t scale = 1;
  for (int64_t i = precision; i < 0; ++i) {
    if (__builtin_mul_overflow(scale, 10, &scale)) return int64_t{0};
  }
  const int64_t rest = ((value % scale) + scale) % scale;
  const int64_t down = value - rest;
  const bool is_odd = (down / scale) % 2 != 0;
  const bool rounds_up = rest > scale - rest || (rest == scale - rest && is_odd);
  int64_t result = down;
  if (rounds_up && __builtin_add_overflow(down, scale, &result)) {
    return runtime.fail("the integer leaves the supported 64 bits");
  }
  return result;
}

Value round_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "round", {"precision", "method"});
  if (!parameters.ok()) return Undefined{};
  const int64_t precision = parameters.integer(0, 0);
  const TextRef method = parameters.text(1);
  if (is_undefined(self)) return fail_undefined(runtime, self);
  if (!is_number(self)) return runtime.fail("round needs a number");
  if (!parameters.has(1) || method->view() == "common") {
    if (is_integer(self)) return round_integer(runtime, as_integer(self), precision);
    return round_double(std::get<double>(self), precision);
  }
  if (method->view() != "ceil" && method->view() != "floor") {
    return runtime.fail("round: the method must be common, ceil or floor");
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = as_double(self) * scale;
  return (method->view() == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale;
}

void read_indent(Runtime& runtime, const Value& indent, JsonStyle& style) {
  if (is_none(indent)) return;
  style.has_indent = true;
  style.item_separator = ",";
  if (is_text(indent)) {
    style.indent = std::string(view(indent));
    return;
  }
  constexpr int64_t kWidestIndent = 1000;
  if (!is_integer(indent) || as_integer(indent) > kWidestIndent) {
    runtime.fail("tojson: the indent must be a str or an int up to 1000");
    return;
  }
  style.indent = std::string(static_cast<size_t>(std::max<int64_t>(0, as_integer(indent))), ' ');
}

void read_separators(Runtime& runtime, const Value& separators, JsonStyle& style) {
  if (is_none(separators)) return;
  if (is<Sequence*>(separators)) {
    const auto& items = std::get<Sequence*>(separators)->items;
    if (items.size() == 2 && is_text(items[0]) && is_text(items[1])) {
      style.item_separator = std::string(view(items[0]));
      style.key_separator = std::string(view(items[1]));
      return;
    }
  }
  runtime.fail("tojson: the separators must be two str");
}

Value tojson_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "tojson",
                              {"ensure_ascii", "indent", "separators", "sort_keys"});
  if (!parameters.ok()) return Undefined{};
  JsonStyle style;
  style.ensure_ascii = parameters.is_set(0);
  style.sort_keys = parameters.is_set(3);
  if (parameters.has(1)) read_indent(runtime, parameters.get(1), style);
  if (parameters.has(2)) read_separators(runtime, parameters.get(2), style);
  return runtime.failed() ? Value(Undefined{}) : write_json(runtime, self, style);
}

Value attr_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "attr", {"name"}, 1);
  if (!parameters.ok()) return Undefined{};
  const TextRef name = parameters.text(0);
  if (runtime.failed()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  const std::string* kept = runtime.keep(name->view());
  // Attributes alone count here: a dict's keys do not.
  if (is<Dict*>(self) && !find_container_method(self, *kept))
    return Undefined{kept, "dict", nullptr};
  return get_attribute(runtime, self, *kept);
}

constexpr NamedFunction kValueFilters[] = {
    {"length", length_filter}, {"count", length_filter}, {"default", default_filter},
    {"d", default_filter},     {"int", int_filter},      {"float", float_filter},
    {"abs", abs_filter},       {"round", round_filter},  {"tojson", tojson_filter},
    {"attr", attr_filter},
};

}  // namespace

std::span<const NamedFunction> value_filters() {
  return kValueFilters;
}

}  // namespace quire::jinja
