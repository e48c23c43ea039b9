#include "engine/tokenizer/unicode_text.h"

#include <utf8proc.h>

#include <cstdlib>

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

void append_normalized(std::string_view text, NormalForm form, std::string& out) {
  int options = UTF8PROC_STABLE;
  const bool composes = form == NormalForm::kNfc || form == NormalForm::kNfkc;
  options |= composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::kNfkc || form == NormalForm::kNfkd) options |= UTF8PROC_COMPAT;
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &result,
                                             static_cast<utf8proc_option_t>(options));
  CHECK(size >= 0);  // The text is well-formed: only a lack of memory could fail.
  out.append(reinterpret_cast<const char*>(result), static_cast<size_t>(size));
  std::free(result);
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
std::string normalize_text(std::string_view text, NormalForm form) {
  std::string out;
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
    append_normalized(text.substr(begin, end - begin), form, out);
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
