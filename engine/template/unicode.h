#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quire::jinja {

/// One character of UTF-8 text. A byte that is not part of valid UTF-8 decodes alone, to
/// 0xDC00 + byte (as Python's surrogateescape does), so that it can be written back unchanged.
struct CodePoint {
  char32_t value = 0;
  uint32_t length = 0;  ///< In bytes.
};

/// The character that starts at byte `at`, which must be inside `text`.
CodePoint decode(std::string_view text, size_t at);
void append_utf8(std::string& out, char32_t code_point);

size_t count_code_points(std::string_view text);
/// Where the character with index `index` starts, or the end of the text when there are fewer.
size_t byte_offset(std::string_view text, size_t index);

/// What Python's str methods of these names say of one character.
bool is_space(char32_t c);
bool is_alpha(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
bool is_alnum(char32_t c);
bool is_printable(char32_t c);
bool is_lower(char32_t c);
bool is_upper(char32_t c);

/// Up to three characters that replace one (a German sharp s becomes SS).
struct CaseMapping {
  std::array<char32_t, 3> values{};
  int count = 0;
};
CaseMapping to_upper(char32_t c);
CaseMapping to_lower(char32_t c);
CaseMapping to_title(char32_t c);

}  // namespace quire::jinja
