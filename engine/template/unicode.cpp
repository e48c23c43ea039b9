#include "engine/template/unicode.h"

#include <algorithm>

#include "engine/template/unicode_tables.h"

namespace quire::jinja {

namespace {

constexpr char32_t kEscapedByte = 0xDC00;

bool is_continuation(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80;
}

/// The length that the lead byte announces, 0 where no character starts with it.
uint32_t announced_length(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool is_valid(char32_t value, uint32_t length) {
  if (length == 3) return value >= 0x800 && !(value >= 0xD800 && value <= 0xDFFF);
  if (length == 4) return value >= 0x10000 && value <= 0x10FFFF;
  return true;
}

const CharacterRange* find_range(std::span<const CharacterRange> table, char32_t c) {
  auto after = std::upper_bound(table.begin(), table.end(), c,
                                [](char32_t at, const CharacterRange& r) { return at < r.first; });
  if (after == table.begin()) return nullptr;
  const CharacterRange& range = *(after - 1);
  return c <= range.last && (c - range.first) % range.stride == 0 ? &range : nullptr;
}

CaseMapping map_case(std::span<const CharacterRange> simple, std::span<const SpecialCase> special,
                     char32_t c) {
  if (const CharacterRange* range = find_range(simple, c)) {
    return {{static_cast<char32_t>(static_cast<int64_t>(c) + range->delta)}, 1};
  }
  if (c < 0x80) return {{c}, 1};
  for (const SpecialCase& entry : special) {
    if (entry.character != c) continue;
    CaseMapping mapping;
    for (uint32_t value : entry.values) {
      if (value) mapping.values[mapping.count++] = value;
    }
    return mapping;
  }
  return {{c}, 1};
}

}  // namespace

CodePoint decode(std::string_view text, size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const uint32_t length = announced_length(lead);
  if (length == 1) return {lead, 1};
  const CodePoint escaped{kEscapedByte + lead, 1};
  if (length == 0) return escaped;
  char32_t value = lead & (0x7F >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if (!is_continuation(text, at + i)) return escaped;
    value = (value << 6) | (static_cast<uint8_t>(text[at + i]) & 0x3F);
  }
  return is_valid(value, length) ? CodePoint{value, length} : escaped;
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c >= kEscapedByte + 0x80 && c <= kEscapedByte + 0xFF) {
    out += static_cast<char>(c - kEscapedByte);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3F)),
            static_cast<char>(0x80 | ((c >> 6) & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += decode(text, at).length) ++count;
  return count;
}

size_t byte_offset(std::string_view text, size_t index) {
  size_t at = 0;
  while (index > 0 && at < text.size()) {
    at += decode(text, at).length;
    --index;
  }
  return at;
}

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_alpha(char32_t c) {
  return find_range(kAlpha, c);
}
bool is_decimal(char32_t c) {
  return find_range(kDecimal, c);
}
bool is_digit(char32_t c) {
  return find_range(kDigit, c);
}
bool is_numeric(char32_t c) {
  return find_range(kNumeric, c);
}
bool is_alnum(char32_t c) {
  return is_alpha(c) || is_decimal(c) || is_digit(c) || is_numeric(c);
}
bool is_printable(char32_t c) {
  return find_range(kPrintable, c);
}
bool is_lower(char32_t c) {
  return find_range(kLower, c);
}
bool is_upper(char32_t c) {
  return find_range(kUpper, c);
}

CaseMapping to_upper(char32_t c) {
  return map_case(kToUpper, kSpecialUpper, c);
}
CaseMapping to_lower(char32_t c) {
  return map_case(kToLower, kSpecialLower, c);
}
CaseMapping to_title(char32_t c) {
  return map_case(kToTitle, kSpecialTitle, c);
}

}  // namespace quire::jinja
