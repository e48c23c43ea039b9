#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/work_budget.h"

namespace quire {

/// Unicode's normal forms (UAX #15).
enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

/// Normal forms and character properties through utf8proc: a single small library, where ICU would
/// bring 30 MB of data for the same. All take well-formed UTF-8.
///
/// A character can become eighteen: the memory that this takes is counted before it is allocated,
/// and the text stays as it is if the budget does not allow it.
std::string normalize_text(std::string_view text, NormalForm form, WorkBudget& budget);

/// Lower case of each character, independent of its neighbours (Rust's char::to_lowercase).
std::string lowercase_text(std::string_view text);

/// The first character of `text`, which is not empty.
char32_t first_character(std::string_view text);
/// The last character of `text`, which is not empty.
char32_t last_character(std::string_view text);

/// Unicode's White_Space.
bool is_white_space(char32_t character);
/// What \w matches: letters, marks, numbers and connecting punctuation.
bool is_word_character(char32_t character);

/// How many bytes of white space `text` begins or ends with.
size_t leading_space_bytes(std::string_view text);
size_t trailing_space_bytes(std::string_view text);

}  // namespace quire
