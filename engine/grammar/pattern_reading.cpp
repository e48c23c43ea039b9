// What is read of a pattern without writing rules: classes, escapes, quantifiers.

#include <algorithm>
#include <string_view>

#include "engine/grammar/string_pattern.h"

namespace quire {
namespace {

constexpr int kMaxRepeats = 1000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

/// The classes \d \w \s, their complements, and "." as the name of any character.
std::optional<StringPattern::Characters> StringPattern::named_class(char name) const {
  Characters set;
  const bool is_negated = name == 'D' || name == 'W' || name == 'S' || name == '.';
  for (uint32_t c = 0; c < kNumAscii; ++c) {
    const char character = static_cast<char>(c);
    bool is_in = false;
    switch (name) {
      case 'd':
      case 'D':
        is_in = is_digit(character);
        break;
      case 'w':
      case 'W':
        is_in = is_digit(character) || is_letter(character) || character == '_';
        break;
      case 's':
      case 'S':
        is_in = character == ' ' || (c >= 9 && c <= 13);
        break;
      case '.':
        break;
      default:
        return std::nullopt;
    }
    set.ascii.set(c, is_negated ? !is_in && c >= 0x20 : is_in);
  }
  set.others = is_negated;
  return set;
}

std::optional<StringPattern::Repeats> StringPattern::read_repeats() {
  Repeats repeats{0, -1};
  if (skip('*')) {
  } else if (skip('+')) {
    repeats.min = 1;
  } else if (skip('?')) {
    repeats.max = 1;
  } else if (skip('{')) {
    const auto min = read_number();
    auto max = min;
    if (skip(',')) max = is_at('}') ? std::optional(-1) : read_number();
    if (!min || !max || !skip('}') || (*max >= 0 && *max < *min)) {
      fail("it has a quantifier that is not {n}, {n,} or {n,m} with numbers up to 1000");
      return std::nullopt;
    }
    repeats = {*min, *max};
  } else {
    return std::nullopt;
  }
  skip('?');  // Whether it prefers few repetitions does not matter here.
  return repeats;
}

std::optional<int> StringPattern::read_number() {
  int number = 0;
  const size_t begin = m_at;
  while (!is_at_end() && is_digit(m_pattern[m_at]) && number <= kMaxRepeats) {
    number = number * 10 + (m_pattern[m_at++] - '0');
  }
  return m_at == begin || number > kMaxRepeats ? std::nullopt : std::optional(number);
}

/// A class in square brackets.
StringPattern::Characters StringPattern::read_class() {
  ++m_at;
  Characters set;
  const bool is_negated = skip('^');
  while (!is_at_end() && !is_at(']') && !has_failed()) {
    const auto low = read_class_character(set);
    if (!low) continue;
    uint32_t high = *low;
    const bool is_range = is_at('-') && m_at + 1 < m_pattern.size() && m_pattern[m_at + 1] != ']';
    if (is_range) {
      ++m_at;
      const auto last = read_class_character(set);
      if (!last || *last < *low) {
        fail("it has a range from a character to an earlier one or to a class");
        break;
      }
      high = *last;
    }
    for (uint32_t c = *low; c <= high; ++c) set.ascii.set(c);
  }
  if (!skip(']')) fail("a class is not closed");
  if (is_negated) {
    for (uint32_t c = 0; c < kNumAscii; ++c) set.ascii.set(c, !set.ascii[c] && c >= 0x20);
    set.others = !set.others;
  }
  return set;
}

/// A character of a class; none for a class within it, which is added, and after an error.
std::optional<uint32_t> StringPattern::read_class_character(Characters& set) {
  const auto c = static_cast<uint8_t>(m_pattern[m_at]);
  if (c >= kNumAscii) {
    fail("it has a class with a character beyond ASCII");
    return std::nullopt;
  }
  if (c != '\\') {
    ++m_at;
    return c;
  }
  ++m_at;
  const auto named = is_at_end() || is_at('.') ? std::nullopt : named_class(m_pattern[m_at]);
  if (named) {
    ++m_at;
    set.ascii |= named->ascii;
    set.others = set.others || named->others;
    return std::nullopt;
  }
  if (is_at('b')) {
    ++m_at;
    return '\b';
  }
  const auto character = read_escape();
  if (character && *character >= kNumAscii) {
    fail("it has an escape of a character beyond ASCII");
    return std::nullopt;
  }
  return character;
}

/// The character of an escape, after its backslash.
std::optional<uint32_t> StringPattern::read_escape() {
  if (is_at_end()) {
    fail("it ends with a backslash");
    return std::nullopt;
  }
  const char c = m_pattern[m_at++];
  switch (c) {
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case 'x':
      return read_hex(2);
    case 'u':
      return read_hex(4);
    default:
      break;
  }
  if (!is_letter(c) && !is_digit(c) && static_cast<uint8_t>(c) < kNumAscii) {
    return static_cast<uint8_t>(c);
  }
  fail("it has a back reference, a word boundary or an unknown escape");
  return std::nullopt;
}

std::optional<uint32_t> StringPattern::read_hex(int digits) {
  uint32_t value = 0;
  for (int i = 0; i < digits; ++i) {
    const int digit = is_at_end() ? -1 : hex_value(m_pattern[m_at]);
    if (digit < 0) {
      fail("it has an incomplete escape");
      return std::nullopt;
    }
    value = value * 16 + static_cast<uint32_t>(digit);
    ++m_at;
  }
  return value;
}

}  // namespace quire
