#include "engine/template/format_braces.h"

#include <charconv>

#include "engine/template/format_spec.h"
#include "engine/template/lookup.h"
#include "engine/template/print.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

namespace {

bool is_align(char32_t c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

/// A non-negative int, or -1 where the text is none.
int64_t to_index(std::string_view text) {
  int64_t index = -1;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool is_whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return is_whole && !text.starts_with('-') ? index : -1;
}

/// Takes a number from the front of `text`; -1 where there is none.
int64_t take_number(std::string_view& text) {
  int64_t number = -1;
  size_t length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
  if (length > 0) number = length > 6 ? kWidestFormat + 1 : to_index(text.substr(0, length));
  text.remove_prefix(length);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// [[fill]align][sign][#][0][width][grouping][.precision][type]; false where malformed.
bool parse_spec(std::string_view text, FormatSpec& spec) {
  if (!text.empty()) {
    const CodePoint fill = decode(text, 0);
    if (text.size() > fill.length && is_align(static_cast<unsigned char>(text[fill.length]))) {
      spec.fill = fill.value;
      text.remove_prefix(fill.length);
    }
    if (is_align(static_cast<unsigned char>(text[0]))) {
      spec.align = text[0];
      text.remove_prefix(1);
    }
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text.remove_prefix(1);
  }
  spec.is_alternate = take(text, '#');
  if (take(text, '0') && !spec.align) {
    spec.fill = U'0';
    spec.align = '=';
  }
  spec.width = std::max<int64_t>(0, take_number(text));
  if (!text.empty() && (text[0] == ',' || text[0] == '_')) {
    spec.grouping = text[0];
    text.remove_prefix(1);
  }
  if (take(text, '.')) {
    spec.precision = take_number(text);
    if (spec.precision < 0) return false;
  }
  if (!text.empty()) {
    spec.type = text[0];
    text.remove_prefix(1);
  }
  return text.empty() && spec.width <= kWidestFormat && spec.precision <= kWidestFormat;
}

class BraceFormatter {
 public:
  BraceFormatter(Runtime& runtime, const Text& format, const Arguments& arguments)
      : m_runtime(runtime),
        m_text(format),
        m_format(format.view()),
        m_arguments(arguments),
        m_out(runtime) {}

  Value run() {
    for (size_t at = 0; at < m_format.size() && m_runtime.charge();) {
      const size_t brace = std::min(m_format.find_first_of("{}", at), m_format.size());
      m_out.append(m_text, at, brace);
      if (brace == m_format.size()) break;
      if (m_format.substr(brace + 1).starts_with(m_format[brace])) {
        m_out.append(m_text, brace, brace + 1);
        at = brace + 2;
      } else {
        at = append_field(brace);
      }
    }
    return m_out.finish();
  }

 private:
  Value fail(std::string message) { return m_runtime.fail("format(): " + std::move(message)); }

  /// The field whose brace is at `begin`; returns where the text goes on.
  size_t append_field(size_t begin) {
    const size_t close = m_format.find_first_of("{}", begin + 1);
    if (m_format[begin] == '}' || close == m_format.npos || m_format[close] == '{') {
      fail("the braces do not match, or are nested");
      return m_format.size();
    }
    std::string_view field = m_format.substr(begin + 1, close - begin - 1);
    std::string_view spec;
    if (const size_t colon = field.find(':'); colon != field.npos) {
      spec = field.substr(colon + 1);
      field = field.substr(0, colon);
    }
    char conversion = 0;
    if (field.size() >= 2 && field[field.size() - 2] == '!') {
      conversion = field.back();
      field.remove_suffix(2);
    }
    Value value = read_field(field);
    if (conversion == 'r' && !m_runtime.failed()) value = repr(value);
    if (conversion == 's' && !m_runtime.failed()) value = to_text(m_runtime, value);
    if (conversion && conversion != 'r' && conversion != 's') fail("unknown conversion");
    if (!m_runtime.failed()) append_value(value, spec);
    return close + 1;
  }

  Value repr(const Value& value) {
    TextBuilder out(m_runtime);
    print_repr(m_runtime, out, value);
    out.spread_marks();
    return out.finish();
  }

  /// The argument that a field names, then its attributes and items.
  Value read_field(std::string_view field) {
    const size_t end = std::min(field.find_first_of(".["), field.size());
    Value value = read_argument(field.substr(0, end));
    for (size_t at = end; at < field.size() && !m_runtime.failed();) {
      const bool is_item = field[at] == '[';
      const size_t stop =
          is_item ? field.find(']', at) : std::min(field.find_first_of(".[", at + 1), field.size());
      if (stop == field.npos) return fail("a [ is not closed");
      const std::string_view name = field.substr(at + 1, stop - at - 1);
      if (is_item) {
        const int64_t index = to_index(name);
        value = get_item(m_runtime, value,
                         index >= 0 ? Value(index) : m_runtime.text(std::string(name)));
      } else {
        value = get_attribute(m_runtime, value, *m_runtime.keep(name));
      }
      at = is_item ? stop + 1 : stop;
    }
    return value;
  }

  Value read_argument(std::string_view name) {
    const int64_t index = name.empty() ? m_next++ : to_index(name);
    if (index >= 0) {
      if (static_cast<size_t>(index) < m_arguments.positional.size()) {
        return m_arguments.positional[static_cast<size_t>(index)];
      }
      return fail("there are not enough values");
    }
    for (const auto& [key, value] : m_arguments.named) {
      if (key == name) return value;
    }
    return fail("there is no argument of that name");
  }

  void append_value(const Value& value, std::string_view spec_text) {
    if (spec_text.empty()) return print(m_runtime, m_out, value);
    FormatSpec spec;
    if (!parse_spec(spec_text, spec)) {
      fail("the format specification is malformed");
      return;
    }
    const bool is_plain_number = is_number(value) && !(is<bool>(value) && spec.type == 0);
    if (is_plain_number && spec.type != 's') return append_number(m_runtime, m_out, value, spec);
    if (!is_text(value) || (spec.type != 0 && spec.type != 's') || spec.align == '=') {
      fail(std::string("the specification does not fit a value of type ") + type_name(value));
      return;
    }
    append_text(m_runtime, m_out, *std::get<TextRef>(value), spec);
  }

  Runtime& m_runtime;
  const Text& m_text;
  std::string_view m_format;
  const Arguments& m_arguments;
  TextBuilder m_out;
  int64_t m_next = 0;
};

}  // namespace

Value format_braces(Runtime& runtime, const Text& format, const Arguments& arguments) {
  return BraceFormatter(runtime, format, arguments).run();
}

}  // namespace quire::jinja
