#include "kernels/base/visible_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace quire {
namespace {

constexpr std::string_view kKeptInTerminals = "\n\t";

struct Character {
  uint32_t value = 0;
  size_t length = 1;     ///< In bytes; of ill-formed text 1.
  bool is_valid = true;  ///< UTF-8, shortest form, no surrogate.
  bool is_cut = false;   ///< The text ends within the character.
};

size_t length_of(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// The first character of `text`, which is not empty.
Character first_character(std::string_view text) {
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t length = length_of(lead);
  if (length == 1) return {.value = lead};
  const Character invalid{.value = lead, .is_valid = false};
  if (length == 0) return invalid;
  uint32_t value = lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {.value = lead, .is_valid = false, .is_cut = true};
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xC0) != 0x80) return invalid;
    value = value << 6 | (byte & 0x3F);
  }
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  if (value < kSmallest[length] || value > 0x10FFFF || is_surrogate) return invalid;
  return {.value = value, .length = length};
}

/// Controls, line separators, and what is invisible by itself (Unicode's
/// Default_Ignorable_Code_Point, and annotations) except for U+200C, U+200D and U+FE00 to U+FE0F.
bool is_shown_as_sign(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  constexpr Range kRanges[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},       {0x034F, 0x034F},  {0x061C, 0x061C},
      {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200B},  {0x200E, 0x200F},
      {0x2028, 0x202E}, {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0},
      {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  if (c >= 0x20 && c < 0x7F) return false;
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

/// Invisible, but part of the spelling of some languages.
bool is_spelling(uint32_t c) {
  return c == 0x200B || (c >= 0x180B && c <= 0x180F) || (c >= 0xE0100 && c <= 0xE01EF);
}

std::string sign_of(const Character& c) {
  char sign[16];
  std::snprintf(sign, sizeof sign, c.is_valid ? "<U+%04X>" : "<0x%02X>",
                static_cast<unsigned>(c.value));
  return sign;
}

/// Where the last character of `text` begins if its end is missing; else the text's size.
size_t cut_character(std::string_view text) {
  const size_t from = text.size() - std::min<size_t>(text.size(), 3);
  for (size_t i = from; i < text.size(); ++i) {
    const bool continues = (static_cast<uint8_t>(text[i]) & 0xC0) == 0x80;
    if (!continues && first_character(text.substr(i)).is_cut) return i;
  }
  return text.size();
}

std::string with_signs(std::string_view text, std::string_view kept, bool keeps_spelling) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    const bool stays = (c.value < 0x80 && kept.find(text[0]) != kept.npos) ||
                       (keeps_spelling && is_spelling(c.value));
    if (c.is_valid && (stays || !is_shown_as_sign(c.value))) {
      out += text.substr(0, c.length);
    } else {
      out += sign_of(c);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

}  // namespace

std::string visible_text(std::string_view text, std::string_view kept) {
  return with_signs(text, kept, false);
}

std::string visible_prose(std::string_view text, std::string_view kept) {
  return with_signs(text, kept, true);
}

std::string TerminalFilter::pass(std::string_view chunk) {
  std::string text = std::exchange(m_held, {});
  text += chunk;
  const size_t cut = cut_character(text);
  m_held = text.substr(cut);
  text.resize(cut);
  return visible_prose(text, kKeptInTerminals);
}

std::string TerminalFilter::end() {
  return visible_prose(std::exchange(m_held, {}), kKeptInTerminals);
}

}  // namespace quire
