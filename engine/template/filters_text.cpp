#include "engine/template/filters.h"
#include "engine/template/format_percent.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"
#include "engine/template/text_ops.h"
#include "engine/template/unicode.h"

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

Value center_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "center", {"width"});
  if (!parameters.ok()) return Undefined{};
  const int64_t width = parameters.integer(0, 80);
  return center(runtime, *to_text(runtime, self), width, ' ');
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

Value wordcount_filter(Runtime& runtime, const Value& self, const Arguments&) {
  const TextRef text = to_text(runtime, self);
  int64_t count = 0;
  bool in_word = false;
  for (size_t at = 0; at < text->bytes().size() && runtime.charge();) {
    const CodePoint c = decode(text->view(), at);
    const bool is_word = c.value == '_' || is_alnum(c.value);
    count += is_word && !in_word;
    in_word = is_word;
    at += c.length;
  }
  return count;
}

/// value % arguments.
Value format_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty()) {
    return runtime.fail("format takes positional or named arguments, not both");
  }
  const TextRef format = to_text(runtime, self);
  if (arguments.named.empty()) {
    return format_percent(runtime, *format, runtime.tuple(arguments.positional));
  }
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [name, value] : arguments.named) {
    entries.emplace_back(runtime.text(std::string(name)), value);
  }
  const Value mapping = runtime.dict(std::move(entries));
  return runtime.failed() ? mapping : format_percent(runtime, *format, mapping);
}

Value truncate_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Parameters parameters(runtime, arguments, "truncate",
                              {"length", "killwords", "end", "leeway"});
  if (!parameters.ok()) return Undefined{};
  const int64_t length = parameters.integer(0, 255);
  const int64_t leeway = parameters.has_value(3) ? parameters.integer(3, 5) : 5;
  const Value dots = runtime.text("...");
  const TextRef end = parameters.has(2) ? parameters.text(2) : to_text(runtime, dots);
  const auto end_length = static_cast<int64_t>(count_code_points(end->view()));
  if (runtime.failed()) return Undefined{};
  if (!is_text(self)) return runtime.fail("truncate needs a str");
  if (length < end_length || leeway < 0) return runtime.fail("truncate: the length is too small");
  const Text& text = *std::get<TextRef>(self);
  const int64_t size = length_of(self);
  if (size <= length || size - length <= leeway) return self;
  size_t cut = byte_offset(text.view(), static_cast<size_t>(length - end_length));
  if (!parameters.is_set(1)) {
    const size_t space = text.view().substr(0, cut).rfind(' ');
    if (space != std::string_view::npos) cut = space;
  }
  TextBuilder out(runtime);
  out.append(text, 0, cut);
  out.append(*end);
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

constexpr NamedFunction kTextFilters[] = {
    {"trim", trim_filter},
    {"upper", converted_by<upper>},
    {"lower", converted_by<lower>},
    {"capitalize", converted_by<capitalize>},
    {"title", converted_by<title_words>},
    {"string", string_filter},
    {"safe", string_filter},
    {"replace", replace_filter},
    {"join", join_filter},
    {"center", center_filter},
    {"indent", indent_filter},
    {"escape", converted_by<escape_html>},
    {"e", converted_by<escape_html>},
    {"forceescape", converted_by<escape_html>},
    {"wordcount", wordcount_filter},
    {"format", format_filter},
    {"truncate", truncate_filter},
};

}  // namespace

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

std::span<const NamedFunction> text_filters() {
  return kTextFilters;
}

}  // namespace quire::jinja
