#include "engine/io/json_tokens.h"

#include <algorithm>
#include <cstdint>

namespace quire {
namespace {

/// Shorter texts are left to the parser, whose messages say more.
constexpr size_t kShortTextBytes = 65536;

uint8_t byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<uint8_t>(text[at]) : 0;
}

/// The number of bytes of the UTF-8 character that begins at `at`; 0 if it is ill-formed (RFC
/// 3629).
size_t character_bytes(std::string_view text, size_t at) {
  const auto is_in = [&](size_t place, int first, int last) {
    const int byte = byte_at(text, place);
    return byte >= first && byte <= last;
  };
  const uint8_t lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const int first = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const int last = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!is_in(at + 1, first, last)) return 0;
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (size_t i = 2; i < length; ++i) {
    if (!is_in(at + i, 0x80, 0xBF)) return 0;
  }
  return length;
}

/// The code unit of "\uXXXX" at `at`; -1 if there is none.
int escaped_unit(std::string_view text, size_t at) {
  if (byte_at(text, at) != '\\' || byte_at(text, at + 1) != 'u') return -1;
  int unit = 0;
  for (size_t i = at + 2; i < at + 6; ++i) {
    const int c = byte_at(text, i);
    const int lower = c | 0x20;
    const int digit = c >= '0' && c <= '9'           ? c - '0'
                      : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                     : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/// The number of bytes of the escape at `at`; 0 if there is no such escape.
size_t escape_bytes(std::string_view text, size_t at) {
  if (byte_at(text, at + 1) != 'u') {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    const bool is_known =
        at + 1 < text.size() && kLetters.find(text[at + 1]) != std::string_view::npos;
    return is_known ? 2 : 0;
  }
  const int unit = escaped_unit(text, at);
  if (unit < 0 || (unit >= 0xDC00 && unit <= 0xDFFF)) return 0;
  if (unit < 0xD800 || unit > 0xDBFF) return 6;
  const int low = escaped_unit(text, at + 6);
  return low >= 0xDC00 && low <= 0xDFFF ? 12 : 0;
}

/// Behind the quote that ends the text which begins at `begin`; npos without one.
size_t end_of_text(std::string_view text, size_t begin) {
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return text.npos;
}

/// Where the text in [begin, end), quotes included, is not JSON; npos if it is.
size_t find_damage(std::string_view text, size_t begin, size_t end) {
  for (size_t at = begin + 1; at + 1 < end;) {
    const uint8_t byte = byte_at(text, at);
    const size_t length = byte < 0x20    ? 0
                          : byte == '\\' ? escape_bytes(text, at)
                                         : character_bytes(text, at);
    if (length == 0) return at;
    at += length;
  }
  return text.npos;
}

bool is_number_byte(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

}  // namespace

std::optional<JsonTokenFault> find_json_token_fault(std::string_view text, size_t max_text_bytes) {
  using Kind = JsonTokenFault::Kind;
  size_t gap = 0;  // Where the last text or number ended.
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (text[at] == '"') {
      const size_t end = end_of_text(text, at);
      gap = at = std::min(end, text.size());
      if (at - begin <= kShortTextBytes) continue;
      if (end == text.npos) return JsonTokenFault{Kind::kDamaged, begin};
      if (end - begin - 2 > max_text_bytes) return JsonTokenFault{Kind::kLongText, begin};
      const size_t damage = find_damage(text, begin, end);
      if (damage != text.npos) return JsonTokenFault{Kind::kDamaged, damage};
    } else if (is_number_byte(text[at])) {
      while (at < text.size() && is_number_byte(text[at])) ++at;
      if (at - begin > kMaxJsonNumberBytes) return JsonTokenFault{Kind::kNumber, begin};
      gap = at;
    } else if (++at - gap > kMaxJsonGapBytes) {
      return JsonTokenFault{Kind::kGap, gap};
    }
  }
  return std::nullopt;
}

}  // namespace quire
