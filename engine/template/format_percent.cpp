#include "engine/template/format_percent.h"

#include <algorithm>

#include "engine/template/format_spec.h"
#include "engine/template/numbers.h"
#include "engine/template/operators.h"
#include "engine/template/print.h"

namespace quire::jinja {

namespace {

class PercentFormatter {
 public:
  PercentFormatter(Runtime& runtime, const Text& format, const Value& values)
      : m_runtime(runtime),
        m_text(format),
        m_format(format.view()),
        m_values(values),
        m_out(runtime) {}

  Value run() {
    while (m_at < m_format.size() && m_runtime.charge()) {
      const size_t percent = std::min(m_format.find('%', m_at), m_format.size());
      m_out.append(m_text, m_at, percent);
      m_at = percent + 1;
      if (percent < m_format.size()) read_directive();
    }
    check_all_used();
    return m_out.finish();
  }

 private:
  char peek() const { return m_at < m_format.size() ? m_format[m_at] : '\0'; }
  Value fail(std::string message) { return m_runtime.fail("% formatting: " + std::move(message)); }

  void check_all_used() {
    const bool is_mapping = is<Dict*>(m_values) || is_list(m_values);
    const size_t count = is_tuple(m_values) ? std::get<Sequence*>(m_values)->items.size() : 1;
    if (!m_has_key && !is_mapping && m_used < count && !m_runtime.failed()) {
      fail("there are more values than directives");
    }
  }

  Value next_value() {
    if (is_tuple(m_values)) {
      const auto& items = std::get<Sequence*>(m_values)->items;
      if (m_used < items.size()) return items[m_used++];
    } else if (m_used++ == 0) {
      return m_values;
    }
    return fail("there are not enough values");
  }

  Value keyed_value() {
    const size_t close = m_format.find(')', m_at);
    if (close == m_format.npos) return fail("a name is not closed with )");
    const Value key = m_runtime.slice(m_text, m_at + 1, close);
    m_at = close + 1;
    m_has_key = true;
    if (!is<Dict*>(m_values)) return fail("names need a dict");
    const Value* entry = find_entry(m_runtime, *std::get<Dict*>(m_values), key);
    return entry ? *entry : fail("the dict lacks a name");
  }

  int64_t read_number() {
    if (peek() == '*') {
      ++m_at;
      const Value value = next_value();
      if (!is_integer(value)) fail("* needs an int");
      return m_runtime.failed()
                 ? 0
                 : std::clamp<int64_t>(as_integer(value), -kWidestFormat, kWidestFormat);
    }
    int64_t number = 0;
    while (peek() >= '0' && peek() <= '9' && number <= kWidestFormat) {
      number = number * 10 + (m_format[m_at++] - '0');
    }
    if (number > kWidestFormat) fail("the width is too large");
    return number;
  }

  void read_flags(FormatSpec& spec) {
    for (;; ++m_at) {
      if (peek() == '-') {
        spec.align = '<';
      } else if (peek() == '0') {
        m_is_zero_padded = true;
      } else if (peek() == '+') {
        spec.sign = '+';
      } else if (peek() == ' ') {
        if (spec.sign == '-') spec.sign = ' ';
      } else if (peek() == '#') {
        spec.is_alternate = true;
      } else {
        return;
      }
    }
  }

  void read_directive() {
    FormatSpec spec;
    spec.align = '>';
    m_is_zero_padded = false;
    Value value;
    const bool is_keyed = peek() == '(';
    if (is_keyed) value = keyed_value();
    if (m_runtime.failed()) return;
    read_flags(spec);
    spec.width = read_number();
    if (spec.width < 0) {
      spec.align = '<';
      spec.width = -spec.width;
    }
    if (peek() == '.') {
      ++m_at;
      spec.precision = std::max<int64_t>(0, read_number());
    }
    while (peek() == 'l' || peek() == 'h' || peek() == 'L') ++m_at;
    spec.type = peek();
    ++m_at;
    if (m_runtime.failed()) return;
    if (spec.type == '%') return m_out.append("%");
    if (!is_keyed) value = next_value();
    if (!m_runtime.failed()) append(value, spec);
  }

  void append(const Value& value, FormatSpec& spec) {
    if (spec.type == 's') return append_text(m_runtime, m_out, *to_text(m_runtime, value), spec);
    if (spec.type == 'r' || spec.type == 'a') {
      TextBuilder repr(m_runtime);
      print_repr(m_runtime, repr, value);
      repr.spread_marks();
      return append_text(m_runtime, m_out, *to_text(m_runtime, repr.finish()), spec);
    }
    if (spec.type == 'c') return append_character(value, spec);
    Value number = value;
    if (spec.type == 'i' || spec.type == 'u') spec.type = 'd';
    if (spec.type == 'd' && is<double>(value)) {
      number = truncate_double(m_runtime, std::get<double>(value));
    }
    if (m_is_zero_padded && spec.align != '<') {
      spec.fill = U'0';
      spec.align = '=';
    }
    const bool is_known = std::string_view("dxXoeEfFgG").find(spec.type) != std::string_view::npos;
    if (!is_known) {
      fail("there is no such directive");
    } else if (is_undefined(number)) {
      if (!m_runtime.failed()) fail_undefined(m_runtime, number);
    } else if (spec.type == 'd' && spec.precision > 0) {
      append_precise_integer(number, spec);
    } else {
      append_number(m_runtime, m_out, number, spec);
    }
  }

  /// %.5d: at least that many digits.
  void append_precise_integer(const Value& number, FormatSpec spec) {
    if (!is_integer(number)) {
      fail("d needs a number");
      return;
    }
    FormatSpec inner;
    inner.type = 'd';
    inner.sign = spec.sign;
    inner.fill = U'0';
    inner.align = '=';
    inner.width = spec.precision + (as_integer(number) < 0 || spec.sign != '-' ? 1 : 0);
    TextBuilder digits(m_runtime);
    append_number(m_runtime, digits, number, inner);
    spec.precision = -1;
    spec.fill = U' ';
    if (spec.align == '=') spec.align = '>';
    append_text(m_runtime, m_out, *to_text(m_runtime, digits.finish()), spec);
  }

  void append_character(const Value& value, FormatSpec& spec) {
    spec.precision = -1;
    if (is_text(value) && length_of(value) == 1) {
      return append_text(m_runtime, m_out, *std::get<TextRef>(value), spec);
    }
    if (!is_integer(value) || as_integer(value) < 0 || as_integer(value) > 0x10FFFF) {
      fail("c needs one character");
      return;
    }
    TextBuilder character(m_runtime);
    character.append(static_cast<char32_t>(as_integer(value)), false);
    append_text(m_runtime, m_out, *to_text(m_runtime, character.finish()), spec);
  }

  Runtime& m_runtime;
  const Text& m_text;
  std::string_view m_format;
  const Value& m_values;
  TextBuilder m_out;
  size_t m_at = 0;
  size_t m_used = 0;
  bool m_has_key = false;
  bool m_is_zero_padded = false;
};

}  // namespace

Value format_percent(Runtime& runtime, const Text& format, const Value& values) {
  return runtime.failed() ? Value(Undefined{}) : PercentFormatter(runtime, format, values).run();
}

}  // namespace quire::jinja
