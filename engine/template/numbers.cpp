#include "engine/template/numbers.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace quire::jinja {

namespace {

/// Without surrounding whitespace, a plus sign and underscores between digits. Empty where the
/// underscores are misplaced.
std::string clean_number(std::string_view text) {
  while (!text.empty() && is_space(decode(text, 0).value))
    text.remove_prefix(decode(text, 0).length);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    const auto is_digit_at = [&](size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
    };
    if (i == 0 || !is_digit_at(i - 1) || !is_digit_at(i + 1)) return {};
  }
  return out;
}

}  // namespace

std::optional<int64_t> parse_integer(Runtime& runtime, std::string_view text) {
  const std::string digits = clean_number(text);
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr != end || digits.empty()) return {};
  if (result.ec == std::errc::result_out_of_range) {
    runtime.fail("the integer leaves the supported 64 bits");
  } else if (result.ec != std::errc()) {
    return {};
  }
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  const std::string digits = clean_number(text);
  if (digits.empty()) return {};
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr != end) return {};
  if (result.ec == std::errc::result_out_of_range) {
    const bool is_small = digits.find("e-") != digits.npos || digits.find("E-") != digits.npos;
    const double magnitude = is_small ? 0.0 : HUGE_VAL;
    return digits.starts_with('-') ? -magnitude : magnitude;
  }
  if (result.ec != std::errc()) return {};
  return value;
}

Value truncate_double(Runtime& runtime, double value) {
  // The bounds are exact doubles; nan compares false.
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) {
    return runtime.fail("the float has no int of 64 bits");
  }
  return static_cast<int64_t>(value);
}

}  // namespace quire::jinja
