#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quire::jinja {

/// The first offset from `at` on that is not whitespace (Unicode's, as Python's \s).
size_t skip_space(std::string_view text, size_t at);
/// Without trailing whitespace.
std::string_view strip_right(std::string_view text);

/// Part of a name: letters, digits, underscore, and every character beyond ASCII.
bool is_name_byte(char c);
/// The length of the number that `text` starts with, 0 where there is none.
size_t match_float(std::string_view text);
size_t match_integer(std::string_view text);

/// Appends a string literal's content to `out`, with Python's escapes replaced. False where an
/// escape is malformed.
bool unescape(std::string_view content, std::string& out);

}  // namespace quire::jinja
