#include "engine/io/text.h"

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

std::string printable(std::string_view message) {
  std::string out(message);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

std::string for_message(std::string_view text) {
  constexpr size_t kMaxBytes = 80;
  std::string out;
  for (char c : text.substr(0, kMaxBytes)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"';
    out += plain ? c : '?';
  }
  if (text.size() <= kMaxBytes) return out;
  // A character that the cut went through is dropped whole.
  while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
  if (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80) != 0) out.pop_back();
  return out + "...";
}

}  // namespace quire
