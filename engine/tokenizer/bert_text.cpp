#include "engine/tokenizer/bert_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>

#include "engine/tokenizer/unicode_text.h"
#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

#include "engine/tokenizer/bert_characters.inc"

bool is_in(std::span<const CharacterRange> ranges, char32_t character) {
  const auto next = std::ranges::upper_bound(ranges, character, {}, &CharacterRange::first);
  return next != ranges.begin() && character <= std::prev(next)->last;
}

/// Appends what `change(character, bytes, out)` makes of each character.
template <typename Change>
std::string change_characters(std::string_view text, Change change) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  while (!text.empty()) {
    const std::string_view bytes = text.substr(0, next_utf8(text).length);
    change(first_character(bytes), bytes, out);
    text.remove_prefix(bytes.size());
  }
  return out;
}

std::string clean(std::string_view text) {
  return change_characters(text, [](char32_t c, std::string_view bytes, std::string& out) {
    if (is_in(kBertRemoved, c)) return;
    if (is_in(kBertSpaces, c)) {
      out += ' ';
    } else {
      out += bytes;
    }
  });
}

std::string split_chinese(std::string_view text) {
  return change_characters(text, [](char32_t c, std::string_view bytes, std::string& out) {
    if (!is_in(kBertChinese, c)) {
      out += bytes;
    } else {
      out.append(" ").append(bytes).append(" ");
    }
  });
}

std::string strip_bert_marks(std::string_view text) {
  return change_characters(text, [](char32_t c, std::string_view bytes, std::string& out) {
    if (!is_in(kBertMarks, c)) out += bytes;
  });
}

}  // namespace

std::string BertNormalizer::apply(std::string_view text, WorkBudget& budget) const {
  // Each step's text; spaces around a character of three bytes make it longest.
  if (!budget.spend(text.size()) || !budget.reserve(4 * text.size())) return std::string(text);
  std::string current(text);
  if (cleans) current = clean(current);
  if (splits_chinese) current = split_chinese(current);
  if (strips_accents) {
    current = strip_bert_marks(normalize_text(current, NormalForm::kNfd, budget));
  }
  return lowercases ? lowercase_text(current) : current;
}

std::string bert_punctuation_pattern() {
  std::string pattern = "[";
  for (const CharacterRange& range : kBertPunctuation) {
    char text[40];
    std::snprintf(text, sizeof text, "\\x{%X}-\\x{%X}", static_cast<unsigned>(range.first),
                  static_cast<unsigned>(range.last));
    pattern += text;
  }
  return pattern + "]";
}

std::string strip_marks(std::string_view text) {
  return change_characters(text, [](char32_t c, std::string_view bytes, std::string& out) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    const bool is_mark = category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
                         category == UTF8PROC_CATEGORY_ME;
    if (!is_mark) out += bytes;
  });
}

}  // namespace quire
