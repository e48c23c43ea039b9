#include <cmath>

#include "engine/template/function.h"
#include "engine/template/json.h"
#include "engine/template/lookup.h"
#include "engine/template/numbers.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "engine/template/strings.h"

namespace quire::jinja {

namespace {

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

bool begins_word(char32_t c) {
  return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

/// Jinja's title: words begin after spaces and opening brackets, and nowhere else.
Value title_words(Runtime& runtime, const Text& text) {
  TextBuilder out(runtime);
  bool at_start = true;
  for (size_t at = 0; at < text.bytes().size() && runtime.charge();) {
    const CodePoint c = decode(text.view(), at);
    const CaseMapping mapping = at_start ? to_upper(c.value) : to_lower(c.value);
    for (int i = 0; i < mapping.count; ++i) out.append(mapping.values[i], text.is_input_at(at));
    at_start = begins_word(c.value);
    at += c.length;
  }
  return out.finish();
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
  // A line end is added first, so that a text that ends a line is followed by an empty line.
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

std::string_view html_escape(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&#34;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

/// The characters that mean something in HTML replaced, marks kept.
Value escape_html(Runtime& runtime, const Text& text) {
  TextBuilder out(runtime);
  size_t done = 0;
  for (size_t at = 0; at < text.bytes().size() && runtime.charge(); ++at) {
    const std::string_view escape = html_escape(text.bytes()[at]);
    if (escape.empty()) continue;
    out.append(text, done, at);
    out.append(escape, text.is_input_at(at));
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

std::string missing_filter(std::string_view name) {
  return "Quire has no filter '" + std::string(name) + "' for chat templates";
}

std::string missing_test(std::string_view name) {
  return "Quire has no test '" + std::string(name) + "' for chat templates";
}

static bool is_all_digits(std::string_view text) {
  constexpr size_t kLongestIndex = 9;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return !text.empty() && text.size() <= kLongestIndex;
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
