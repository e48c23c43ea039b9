#include "engine/tokenizer/oniguruma_classes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace quire {

std::string escaped_code(uint32_t character) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (int shift = 20; shift >= 0; shift -= 4) hex += kDigits[(character >> shift) & 15];
  return "\\x{" + hex + "}";
}

namespace {

struct NewerRange {
  std::string_view name;
  uint32_t first;
  uint32_t last;
};

constexpr NewerRange kNewerRanges[] = {
#include "engine/tokenizer/newer_characters.inc"
};

/// The characters of a general category ("L", "Lu") or of the script "Han" that Unicode added after
/// version 14 (the version of PCRE2 10.42), as ranges of a PCRE2 class; nothing for other names.
/// A newer PCRE2 knows them already.
std::string newer_characters(std::string_view name) {
  std::string ranges;
  for (const NewerRange& range : kNewerRanges) {
    const bool is_script = range.name.size() > 2;
    if (is_script ? range.name != name : !range.name.starts_with(name)) continue;
    if (name.empty()) continue;
    ranges += escaped_code(range.first);
    if (range.last > range.first) ranges += "-" + escaped_code(range.last);
  }
  return ranges;
}

constexpr std::string_view kSpace =
    "\\x09-\\x0d\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"
    "\\x{3000}";
constexpr std::string_view kNotSpace =
    "\\x00-\\x08\\x0e-\\x1f\\x21-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"
    "\\x{3001}-\\x{d7ff}\\x{e000}-\\x{10ffff}";
constexpr std::string_view kHexDigit = "0-9A-Fa-f";

const std::string& alphabetic() {
  static const std::string kAlphabetic = "\\p{Alphabetic}" + newer_characters("L");
  return kAlphabetic;
}

}  // namespace

std::string oniguruma_category(std::string_view name) {
  const std::string_view prefix = name.size() <= 2 ? "\\p{" : "\\p{sc:";
  return std::string(prefix) + std::string(name) + "}" + newer_characters(name);
}

const std::string& oniguruma_word() {
  static const std::string kWord =
      alphabetic() + oniguruma_category("M") + oniguruma_category("N") + oniguruma_category("Pc");
  return kWord;
}

namespace {

struct PropertyName {
  std::string_view name;
  std::string content;  ///< Within a class of PCRE2's.
};

const std::vector<PropertyName>& properties() {
  static const std::vector<PropertyName> kProperties = {
      {"Letter", oniguruma_category("L")},
      {"Mark", oniguruma_category("M")},
      {"Number", oniguruma_category("N")},
      {"Punctuation", oniguruma_category("P")},
      {"Punct", oniguruma_category("P")},
      {"Symbol", oniguruma_category("S")},
      {"Separator", oniguruma_category("Z")},
      {"Digit", oniguruma_category("Nd")},
      {"Alpha", alphabetic()},
      {"Alphabetic", alphabetic()},
      {"Alnum", alphabetic() + oniguruma_category("Nd")},
      {"Upper", "\\p{Uppercase}" + newer_characters("Lu")},
      {"Lower", "\\p{Lowercase}" + newer_characters("Ll")},
      {"Space", std::string(kSpace)},
      {"White_Space", std::string(kSpace)},
      {"Word", oniguruma_word()},
      {"Emoji", "\\p{Emoji}"},
      {"Any", "\\x{0}-\\x{d7ff}\\x{e000}-\\x{10ffff}"},
  };
  return kProperties;
}

const std::vector<PropertyName>& posix_classes() {
  static const std::vector<PropertyName> kClasses = {
      {"alpha", alphabetic()},
      {"digit", oniguruma_category("Nd")},
      {"alnum", alphabetic() + oniguruma_category("Nd")},
      {"upper", "\\p{Uppercase}" + newer_characters("Lu")},
      {"lower", "\\p{Lowercase}" + newer_characters("Ll")},
      {"space", std::string(kSpace)},
      {"punct", oniguruma_category("P") + oniguruma_category("S")},
      {"word", oniguruma_word()},
      {"xdigit", std::string(kHexDigit)},
  };
  return kClasses;
}

const std::string* content_of(const std::vector<PropertyName>& names, std::string_view name) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const PropertyName& entry) { return entry.name == name; });
  return found == names.end() ? nullptr : &found->content;
}

/// The set of an escape such as \w. The capital letter stands for its complement.
const std::string* set_of_letter(char letter) {
  static const std::string kDigits = oniguruma_category("Nd"), kHexDigits(kHexDigit);
  switch (letter) {
    case 'w':
      return &oniguruma_word();
    case 'd':
      return &kDigits;
    case 'h':
      return &kHexDigits;
    default:
      return nullptr;
  }
}

/// The escapes for one character, or for a set that is written as a class content of PCRE2's.
std::string_view content_of_letter(char letter) {
  struct Escape {
    char letter;
    std::string_view content;
  };
  static constexpr Escape kEscapes[] = {
      {'s', kSpace}, {'S', kNotSpace}, {'v', "\\x0b"}, {'b', "\\x08"}, {'n', "\\n"},
      {'r', "\\r"},  {'t', "\\t"},     {'f', "\\f"},   {'a', "\\a"},   {'e', "\\e"}};
  const auto* const found =
      std::find_if(std::begin(kEscapes), std::end(kEscapes),
                   [&](const Escape& escape) { return escape.letter == letter; });
  return found == std::end(kEscapes) ? std::string_view() : found->content;
}

}  // namespace

std::string expression_of(const CharSet& set, bool is_negated) {
  if (set.others.empty()) return (is_negated ? "[^" : "[") + set.content + "]";
  std::string any = set.content.empty() ? "" : "[" + set.content + "]";
  for (const std::string& other : set.others) any += (any.empty() ? "" : "|") + other;
  return is_negated ? "(?:(?!" + any + ")(?s:.))" : "(?:" + any + ")";
}

const std::string* oniguruma_property(std::string_view name) {
  return content_of(properties(), name);
}
const std::string* oniguruma_posix_class(std::string_view name) {
  return content_of(posix_classes(), name);
}

bool add_class_escape(char letter, CharSet& set) {
  if (const std::string_view content = content_of_letter(letter); !content.empty()) {
    set.content += content;
    return true;
  }
  if (const std::string* const positive = set_of_letter(letter)) {
    set.content += *positive;
    return true;
  }
  const bool is_capital = letter >= 'A' && letter <= 'Z';
  const std::string* const negated =
      is_capital ? set_of_letter(static_cast<char>(letter - 'A' + 'a')) : nullptr;
  if (negated == nullptr) return false;
  set.others.push_back("[^" + *negated + "]");
  return true;
}

}  // namespace quire
