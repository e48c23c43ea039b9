#include "engine/tokenizer/unicode_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "engine/tokenizer/utf8.h"
#include "kernels/base/check.h"

namespace quire {
namespace {

/// Characters that NFC leaves alone wherever they stand: starters that neither decompose nor
/// combine with what comes before them.
bool is_stable_in_nfc(char32_t c) {
  return c < 0x300 || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0x410 && c <= 0x44F) || (c >= 0x3041 && c <= 0x3096) ||
         (c >= 0x30A1 && c <= 0x30FA) || (c >= 0x3001 && c <= 0x3011) ||
         (c >= 0x2010 && c <= 0x2027) || (c >= 0xFF01 && c <= 0xFF5E) ||
         (c >= 0x1F300 && c <= 0x1FAFF);
}

bool is_stable(char32_t c, NormalForm form) {
  return form == NormalForm::kNfc ? is_stable_in_nfc(c) : c < 0x80;
}

utf8proc_option_t options_of(NormalForm form) {
  int options = UTF8PROC_STABLE;
  const bool composes = form == NormalForm::kNfc || form == NormalForm::kNfkc;
  options |= composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::kNfkc || form == NormalForm::kNfkd) options |= UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(options);
}

uint8_t combining_class(utf8proc_int32_t character) {
  return static_cast<uint8_t>(utf8proc_get_property(character)->combining_class);
}

/// Marks in a row, in the order of their classes. utf8proc's own sort takes the square of their
/// number, which can be that of a whole text.
void order_marks(std::vector<utf8proc_int32_t>& characters) {
  const auto is_mark = [](utf8proc_int32_t c) { return combining_class(c) != 0; };
  for (auto at = characters.begin(); at != characters.end();) {
    at = std::find_if(at, characters.end(), is_mark);
    const auto end = std::find_if_not(at, characters.end(), is_mark);
    if (end - at > 1) std::ranges::stable_sort(at, end, {}, combining_class);
    at = end;
  }
}

/// False, with nothing appended, if the budget is spent.
bool append_normalized(std::string_view text, NormalForm form, WorkBudget& budget,
                       std::string& out) {
  constexpr size_t kMostOfOne = 18;  // U+FDFA.
  const utf8proc_option_t options = options_of(form);
  std::vector<utf8proc_int32_t> characters;
  for (size_t i = 0; i < text.size();) {
    const size_t length = next_utf8(text.substr(i)).length;
    utf8proc_int32_t parts[kMostOfOne];
    int last_boundclass = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(first_character(text.substr(i))),
                                parts, kMostOfOne, options, &last_boundclass);
    CHECK(count >= 0 && count <= static_cast<utf8proc_ssize_t>(kMostOfOne));
    if (!budget.reserve(static_cast<size_t>(count) * sizeof(parts[0]))) return false;
    characters.insert(characters.end(), parts, parts + count);
    i += length;
  }
  if (!budget.spend(1 + characters.size() / 16)) return false;
  order_marks(characters);
  // Writes the text over the numbers, of which one more must have a place, for a zero.
  const auto count = static_cast<utf8proc_ssize_t>(characters.size());
  characters.push_back(0);
  const utf8proc_ssize_t size = utf8proc_reencode(characters.data(), count, options);
  CHECK(size >= 0);
  out.append(reinterpret_cast<const char*>(characters.data()), static_cast<size_t>(size));
  return true;
}

}  // namespace

char32_t first_character(std::string_view text) {
  utf8proc_int32_t character = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &character);
  return static_cast<char32_t>(character);
}

char32_t last_character(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) --begin;
  return first_character(text.substr(begin));
}

/// Only stretches with unstable characters are normalised, each with the stable one before it, with
/// which it may combine.
std::string normalize_text(std::string_view text, NormalForm form, WorkBudget& budget) {
  std::string out;
  if (!budget.reserve(text.size())) return std::string(text);
  out.reserve(text.size());
  size_t stable_begin = 0;  // The text from here on is not copied yet.
  size_t previous = 0;      // The last character's place.
  for (size_t i = 0; i < text.size();) {
    if (static_cast<uint8_t>(text[i]) < 0x80) {
      previous = i++;
      continue;
    }
    const size_t length = next_utf8(text.substr(i)).length;
    if (is_stable(first_character(text.substr(i, length)), form)) {
      previous = i;
      i += length;
      continue;
    }
    size_t end = i + length;
    while (end < text.size() && !is_stable(first_character(text.substr(end)), form)) {
      end += next_utf8(text.substr(end)).length;
    }
    const size_t begin = i == stable_begin ? i : previous;
    out += text.substr(stable_begin, begin - stable_begin);
    if (!append_normalized(text.substr(begin, end - begin), form, budget, out)) {
      return std::string(text);
    }
    stable_begin = previous = i = end;
  }
  out += text.substr(stable_begin);
  return out;
}

std::string lowercase_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = next_utf8(text.substr(i)).length;
    const char32_t character = first_character(text.substr(i, length));
    i += length;
    if (character == 0x130) {
      out += "i\xCC\x87";  // The only one with two characters for its lower case.
      continue;
    }
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t size =
        utf8proc_encode_char(utf8proc_tolower(static_cast<utf8proc_int32_t>(character)), bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  }
  return out;
}

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_word_character(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO) ||
         category == UTF8PROC_CATEGORY_PC;
}

size_t leading_space_bytes(std::string_view text) {
  size_t bytes = 0;
  while (bytes < text.size() && is_white_space(first_character(text.substr(bytes)))) {
    bytes += next_utf8(text.substr(bytes)).length;
  }
  return bytes;
}

size_t trailing_space_bytes(std::string_view text) {
  size_t end = text.size();
  while (end > 0 && is_white_space(last_character(text.substr(0, end)))) {
    do {
      --end;
    } while ((static_cast<uint8_t>(text[end]) & 0xC0) == 0x80);
  }
  return text.size() - end;
}

}  // namespace quire
