#include "engine/template/lexer_scan.h"

#include <cstdint>

#include "engine/template/unicode.h"

namespace quire::jinja {

namespace {

bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The value of a digit in `base`, or -1.
int digit_value(char c, int base) {
  int value = -1;
  if (is_decimal_digit(c)) value = c - '0';
  if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
  return value < base ? value : -1;
}

/// Digits in `base` from `at` on, single underscores between them allowed; returns where they end.
size_t skip_digits(std::string_view text, size_t at, int base, bool leading_underscore = false) {
  size_t end = at;
  if (leading_underscore && end < text.size() && text[end] == '_') ++end;
  if (end >= text.size() || digit_value(text[end], base) < 0) return at;
  for (;;) {
    size_t next = end + 1;
    if (next < text.size() && text[next] == '_') ++next;
    if (next >= text.size() || digit_value(text[next], base) < 0) return end + 1;
    end = next;
  }
}

/// An exponent such as e-5 at `at`; returns where it ends, or `at`.
size_t skip_exponent(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  size_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  const size_t end = skip_digits(text, digits, 10);
  return end > digits ? end : at;
}

/// A fixed number of hexadecimal or octal digits as a character.
bool append_numbered(std::string_view digits, int base, std::string& out) {
  uint32_t value = 0;
  for (char c : digits) {
    const int digit = digit_value(c, base);
    if (digit < 0) return false;
    value = value * base + digit;
  }
  if (value > 0x10FFFF) return false;
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  append_utf8(out, is_surrogate ? 0xFFFD : value);
  return true;
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
      return c;
    default:
      return '\0';
  }
}

size_t hex_digits(char c) {
  if (c == 'x') return 2;
  if (c == 'u') return 4;
  return c == 'U' ? 8 : 0;
}

/// Reads one escape whose letter is at `at`; returns what follows it, npos where malformed.
size_t read_escape(std::string_view content, size_t at, std::string& out) {
  const char c = content[at];
  if (c == '\n') return at + 1;
  if (const char simple = simple_escape(c)) {
    out += simple;
    return at + 1;
  }
  if (const size_t count = hex_digits(c)) {
    const std::string_view digits = content.substr(at + 1, count);
    if (digits.size() < count || !append_numbered(digits, 16, out)) return content.npos;
    return at + 1 + count;
  }
  if (digit_value(c, 8) >= 0) {
    size_t end = at;
    while (end < content.size() && end < at + 3 && digit_value(content[end], 8) >= 0) ++end;
    append_numbered(content.substr(at, end - at), 8, out);
    return end;
  }
  if (c == 'N') return content.npos;  // Characters by name would need Unicode's list of names.
  out += '\\';
  return at;
}

}  // namespace

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size()) {
    const CodePoint c = decode(text, at);
    if (!is_space(c.value)) break;
    at += c.length;
  }
  return at;
}

std::string_view strip_right(std::string_view text) {
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text, at);
    at += c.length;
    if (!is_space(c.value)) end = at;
  }
  return text.substr(0, end);
}

bool is_name_byte(char c) {
  return is_decimal_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

size_t match_float(std::string_view text) {
  const size_t whole = skip_digits(text, 0, 10);
  if (whole == 0) return 0;
  size_t end = whole;
  if (end < text.size() && text[end] == '.') {
    const size_t fraction = skip_digits(text, end + 1, 10);
    if (fraction > end + 1) end = fraction;
  }
  const size_t exponent = skip_exponent(text, end);
  if (exponent > end) return exponent;
  return end > whole ? end : 0;
}

size_t match_integer(std::string_view text) {
  if (text.empty() || !is_decimal_digit(text[0])) return 0;
  if (text[0] != '0') return skip_digits(text, 0, 10);
  const char letter = text.size() > 1 ? static_cast<char>(text[1] | 0x20) : '\0';
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  if (base) {
    const size_t end = skip_digits(text, 2, base, true);
    if (end > 2) return end;
  }
  return skip_digits(text, 0, 1);  // Only zeros may follow a zero.
}

bool unescape(std::string_view content, std::string& out) {
  for (size_t at = 0; at < content.size();) {
    if (content[at] != '\\') {
      out += content[at++];
      continue;
    }
    if (at + 1 >= content.size()) return false;
    at = read_escape(content, at + 1, out);
    if (at == content.npos) return false;
  }
  return true;
}

}  // namespace quire::jinja
