#include "engine/template/format_spec.h"

#include <charconv>
#include <cmath>

#include "engine/template/numbers.h"
#include "engine/template/print.h"
#include "engine/template/unicode.h"

namespace quire::jinja {

namespace {

/// A number before padding.
struct Digits {
  std::string sign;  ///< With a 0x that the alternate form adds.
  std::string body;
};

void group_thousands(std::string& body, char separator) {
  size_t end = body.find_first_not_of("0123456789");
  if (end == body.npos) end = body.size();
  for (size_t at = end; at > 3; at -= 3) body.insert(at - 3, 1, separator);
}

std::string upper_ascii(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

Digits integer_digits(int64_t value, const FormatSpec& spec) {
  const char letter = static_cast<char>(spec.type | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  const uint64_t magnitude =
      value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  char buffer[72];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr;
  Digits digits{value < 0 ? "-" : "", std::string(buffer, end)};
  if (spec.is_alternate && base != 10) digits.sign += std::string("0") + letter;
  if (spec.type == 'X') return {upper_ascii(digits.sign), upper_ascii(digits.body)};
  return digits;
}

Digits float_digits(double value, const FormatSpec& spec) {
  const double magnitude = std::fabs(value);
  const bool is_negative = std::signbit(value) && !std::isnan(value);
  std::string body;
  if (spec.type == 0 && spec.precision < 0) {
    body = float_repr(magnitude);
  } else {
    const char letter = spec.type == 0 ? 'g' : static_cast<char>(spec.type | 0x20);
    const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
    body = spec.type == '%' ? format_double(magnitude * 100, 'f', precision) + "%"
                            : format_double(magnitude, letter, precision);
  }
  const bool is_upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G';
  return {is_negative ? "-" : "", is_upper ? upper_ascii(body) : body};
}

bool is_float_type(char type) {
  return type == 'e' || type == 'E' || type == 'f' || type == 'F' || type == 'g' || type == 'G' ||
         type == '%';
}

bool is_integer_type(char type) {
  return type == 'd' || type == 'x' || type == 'X' || type == 'o' || type == 'b';
}

}  // namespace

void append_number(Runtime& runtime, TextBuilder& out, const Value& value, FormatSpec spec) {
  const bool wants_float = is_float_type(spec.type) || (spec.type == 0 && is<double>(value));
  if (!is_number(value) || (!wants_float && !is_integer(value)) ||
      (spec.type != 0 && !wants_float && !is_integer_type(spec.type))) {
    runtime.fail(std::string("a value of type ") + type_name(value) +
                 " cannot be formatted in this way");
    return;
  }
  Digits digits =
      wants_float ? float_digits(as_double(value), spec) : integer_digits(as_integer(value), spec);
  if (spec.sign != '-' && !digits.sign.starts_with('-')) digits.sign.insert(0, 1, spec.sign);
  if (spec.grouping) group_thousands(digits.body, spec.grouping);
  const auto size = static_cast<int64_t>(digits.sign.size() + digits.body.size());
  const auto padding = static_cast<size_t>(std::max<int64_t>(0, spec.width - size));
  const size_t before = spec.align == '<' ? 0 : spec.align == '^' ? padding / 2 : padding;
  if (spec.align == '=') out.append(digits.sign);
  out.pad(spec.fill, before);
  if (spec.align != '=') out.append(digits.sign);
  out.append(digits.body);
  out.pad(spec.fill, padding - before);
}

void append_text(Runtime& runtime, TextBuilder& out, const Text& text, const FormatSpec& spec) {
  size_t end = text.bytes().size();
  if (spec.precision >= 0) end = byte_offset(text.view(), static_cast<size_t>(spec.precision));
  const auto size = static_cast<int64_t>(count_code_points(text.view().substr(0, end)));
  const auto padding = static_cast<size_t>(std::max<int64_t>(0, spec.width - size));
  const size_t before = spec.align == '>' ? padding : spec.align == '^' ? padding / 2 : 0;
  runtime.charge(end / 64);
  out.pad(spec.fill, before);
  out.append(text, 0, end);
  out.pad(spec.fill, padding - before);
}

}  // namespace quire::jinja
