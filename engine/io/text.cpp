#include "engine/io/text.h"

#include <algorithm>

namespace quire {

std::string with_separators(uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i == 8) return text + ", ...)";
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + ")";
}

std::string for_message(std::string_view text) {
  constexpr size_t kMaxBytes = 80;
  size_t length = std::min(text.size(), kMaxBytes);
  const auto continues = [text](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  // The cut is before a character, if they are well-formed.
  for (int i = 0; i < 3 && length < text.size() && length > 0 && continues(length); ++i) --length;
  std::string out = visible_text(text.substr(0, length));
  std::ranges::replace(out, '"', '?');
  return length < text.size() ? out + "..." : out;
}

}  // namespace quire
