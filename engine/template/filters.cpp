#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "engine/template/function.h"
#include "engine/template/json.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "engine/template/strings.h"

namespace quire::jinja {

namespace {

constexpr size_t kBytesPerStep = 64;

/// A filter without arguments that turns the printed value into another text.
template <Value (*Convert)(Runtime&, const Text&)>
Value converted_by(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "this filter", {});
  return parameters.ok() ? Convert(runtime, *to_text(runtime, self)) : Value(Undefined{});
}

Value trim_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "trim", {"chars"});
  if (!parameters.ok()) return Undefined{};
  const TextRef characters = parameters.has_value(0) ? parameters.text(0) : nullptr;
  if (runtime.failed()) return Undefined{};
  return strip(runtime, *to_text(runtime, self), characters.get(), Side::kBoth);
}

Value string_filter(Runtime& runtime, const Value& self, const Arguments&) {
  return to_text(runtime, self);
}

Value replace_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "replace", {"old", "new", "count"}, 2);
  if (!parameters.ok()) return Undefined{};
  const int64_t count = parameters.has_value(2) ? parameters.integer(2, -1) : -1;
  const TextRef text = to_text(runtime, self), from = to_text(runtime, parameters.get(0)),
                to = to_text(runtime, parameters.get(1));
  return runtime.failed() ? Value(Undefined{}) : replace(runtime, *text, *from, *to, count);
}

Value join_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "join", {"d", "attribute"});
  if (!parameters.ok()) return Undefined{};
  const std::vector<Value>* items = iterate(runtime, self);
  if (!items) return Undefined{};
  if (!runtime.reserve(items->size() * sizeof(Value))) return Undefined{};
  std::vector<Value> values;
  for (const Value& item : *items) {
    values.push_back(read_path(runtime, item, parameters.get(1)));
    if (runtime.failed()) return Undefined{};
  }
  return join(runtime, *to_text(runtime, parameters.get(0)), values, false);
}

Value indent_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "indent", {"width", "first", "blank"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  if (!is_text(self)) return runtime.fail("indent needs a str");
  TextBuilder indention(runtime);
  if (parameters.has(0) && is_text(parameters.get(0))) {
    indention.append(*parameters.text(0));
  } else {
    indention.pad(' ', static_cast<size_t>(std::max<int64_t>(0, parameters.integer(0, 4))));
  }
  const TextRef margin = to_text(runtime, indention.finish());
  // The added line end makes a text that ends with a line end end with an empty line.
  TextBuilder terminated(runtime);
  terminated.append(*std::get<TextRef>(self));
  terminated.append("\n");
  const TextRef lines_text = to_text(runtime, terminated.finish());
  const std::vector<Value> lines = split_lines(runtime, *lines_text, false);
  TextBuilder out(runtime);
  for (size_t i = 0; i < lines.size() && runtime.charge(); ++i) {
    if (i > 0) out.append("\n");
    const bool is_wanted = i == 0
                               ? parameters.is_set(1)
                               : parameters.is_set(2) || (is_text(lines[i]) && is_true(lines[i]));
    if (is_wanted) out.append(*margin);
    print(runtime, out, lines[i]);
  }
  return out.finish();
}

constexpr std::pair<char, std::string_view> kHtmlEscapes[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&#34;"}, {'\'', "&#39;"}};

/// The characters that mean something in HTML replaced, marks kept.
Value escape_html(Runtime& runtime, const Text& text) {
  TextBuilder out(runtime);
  size_t done = 0;
  for (size_t at = 0; at < text.bytes().size() && runtime.charge(); ++at) {
    const auto* const escape = std::ranges::find(kHtmlEscapes, text.bytes()[at],
                                                 &std::pair<char, std::string_view>::first);
    if (escape == std::end(kHtmlEscapes)) continue;
    out.append(text, done, at);
    out.append(escape->second, text.is_input_at(at));
    done = at + 1;
  }
  out.append(text, done, text.bytes().size());
  return out.finish();
}

Value length_filter(Runtime& runtime, const Value& self, const Arguments&) {
  const int64_t length = length_of(self);
  if (length < 0) {
    return runtime.fail(std::string("a value of type ") + type_name(self) + " has no length");
  }
  if (is_text(self)) runtime.charge(view(self).size() / kBytesPerStep);
  return length;
}

Value default_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "default", {"default_value", "boolean"});
  if (!parameters.ok()) return Undefined{};
  if (!is_undefined(self) && !(parameters.is_set(1) && !is_true(self))) return self;
  return parameters.has(0) ? parameters.get(0) : runtime.text("");
}

/// The text without surrounding whitespace, a plus sign and underscores between digits. Empty if
/// the underscores are misplaced.
std::string clean_number(std::string_view text) {
  while (!text.empty() && is_space(decode(text, 0).value))
    text.remove_prefix(decode(text, 0).length);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    const auto is_digit_at = [&](size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
    };
    if (i == 0 || !is_digit_at(i - 1) || !is_digit_at(i + 1)) return {};
  }
  return out;
}

/// Python's int(text); nothing where the text is no number. An int that needs more than 64 bits
/// fails the rendering.
std::optional<int64_t> parse_integer(Runtime& runtime, std::string_view text) {
  if (!runtime.charge(text.size() / kBytesPerStep)) return {};
  const std::string digits = clean_number(text);
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr != end || digits.empty()) return {};
  if (result.ec == std::errc::result_out_of_range) {
    runtime.fail("the integer leaves the supported 64 bits");
  } else if (result.ec != std::errc()) {
    return {};
  }
  return value;
}

/// Python's float(text).
std::optional<double> parse_double(Runtime& runtime, std::string_view text) {
  if (!runtime.charge(text.size() / kBytesPerStep)) return {};
  const std::string digits = clean_number(text);
  if (digits.empty()) return {};
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr != end) return {};
  if (result.ec == std::errc::result_out_of_range) {
    const bool is_small = digits.find("e-") != digits.npos || digits.find("E-") != digits.npos;
    const double magnitude = is_small ? 0.0 : HUGE_VAL;
    return digits.starts_with('-') ? -magnitude : magnitude;
  }
  if (result.ec != std::errc()) return {};
  return value;
}

/// int(value) of a float; fails for infinities, nan and what needs more than 64 bits.
Value truncate_double(Runtime& runtime, double value) {
  // The bounds are exact doubles; nan compares false.
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) {
    return runtime.fail("the float has no int of 64 bits");
  }
  return static_cast<int64_t>(value);
}

Value int_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "int", {"default"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  const Value fallback = parameters.has(0) ? parameters.get(0) : Value(int64_t{0});
  if (is_integer(self)) return as_integer(self);
  if (is<double>(self)) {
    const double value = std::get<double>(self);
    return std::isfinite(value) ? truncate_double(runtime, value) : fallback;
  }
  if (!is_text(self)) return fallback;
  if (auto value = parse_integer(runtime, view(self))) return *value;
  const auto value = parse_double(runtime, view(self));
  return value && std::isfinite(*value) ? truncate_double(runtime, *value) : fallback;
}

Value float_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "float", {"default"});
  if (!parameters.ok()) return Undefined{};
  if (is_undefined(self)) return fail_undefined(runtime, self);
  if (is_number(self)) return as_double(self);
  if (is_text(self)) {
    if (auto value = parse_double(runtime, view(self))) return *value;
  }
  return parameters.has(0) ? parameters.get(0) : Value(0.0);
}

Value abs_filter(Runtime& runtime, const Value& self, const Arguments&) {
  if (is<double>(self)) return std::fabs(std::get<double>(self));
  if (is_integer(self) && as_integer(self) >= 0) return as_integer(self);
  return negate(runtime, self);
}

void read_indent(Runtime& runtime, const Value& indent, JsonStyle& style) {
  if (is_none(indent)) return;
  style.has_indent = true;
  style.item_separator = ",";
  if (is_text(indent)) {
    if (runtime.reserve_text(view(indent).size())) style.indent = std::string(view(indent));
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
      if (!runtime.reserve_text(view(items[0]).size() + view(items[1]).size())) return;
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

constexpr NamedFunction kFilters[] = {
    {"trim", trim_filter},
    {"upper", converted_by<upper>},
    {"lower", converted_by<lower>},
    {"capitalize", converted_by<capitalize>},
    {"title", converted_by<title_words>},
    {"string", string_filter},
    {"safe", string_filter},
    {"replace", replace_filter},
    {"join", join_filter},
    {"indent", indent_filter},
    {"escape", converted_by<escape_html>},
    {"e", converted_by<escape_html>},
    {"length", length_filter},
    {"count", length_filter},
    {"default", default_filter},
    {"d", default_filter},
    {"int", int_filter},
    {"float", float_filter},
    {"abs", abs_filter},
    {"tojson", tojson_filter},
};

}  // namespace

Function find_filter(std::string_view name) {
  if (const Function filter = find_function(kFilters, name)) return filter;
  return find_function(sequence_filters(), name);
}

std::string missing_function(std::string_view kind, std::string_view name) {
  return "Quire has no " + std::string(kind) + " '" + std::string(name) + "' for chat templates";
}

static bool is_all_digits(std::string_view text) {
  constexpr size_t kLongestIndex = 9;
  return !text.empty() && text.size() <= kLongestIndex &&
         text.find_first_not_of("0123456789") == text.npos;
}

Value read_path(Runtime& runtime, const Value& item, const Value& attribute,
                const Value* default_value) {
  if (is_undefined(attribute) || is_none(attribute)) return item;
  if (!is_text(attribute)) return get_item(runtime, item, attribute);
  const Text& path = *std::get<TextRef>(attribute);
  Value value = item;
  for (size_t begin = 0; begin <= path.bytes().size() && !runtime.failed();) {
    const size_t end = std::min(path.view().find('.', begin), path.bytes().size());
    const std::string_view part = path.view().substr(begin, end - begin);
    const Value key = is_all_digits(part) ? Value(int64_t{std::stoll(std::string(part))})
                                          : runtime.slice(path, begin, end);
    value = get_item(runtime, value, key);
    if (default_value && is_undefined(value)) value = *default_value;
    begin = end + 1;
  }
  return value;
}

}  // namespace quire::jinja
