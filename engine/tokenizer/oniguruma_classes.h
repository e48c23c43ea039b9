#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// The sets of characters that Oniguruma's names and escapes stand for, in PCRE2's spelling. What
/// is given as a content stands between a class's brackets.

/// A set of characters: what stands between a class's brackets, or what takes more than a class.
struct CharSet {
  std::string content;              ///< Of a class.
  std::vector<std::string> others;  ///< Expressions for one character each.
};

/// The set as an expression for one character.
std::string expression_of(const CharSet& set, bool is_negated);

/// A general category or a script by its name.
std::string oniguruma_category(std::string_view name);
const std::string& oniguruma_word();

/// Of \p{name} and of [:name:]; null for a name that stands for no set of its own.
const std::string* oniguruma_property(std::string_view name);
const std::string* oniguruma_posix_class(std::string_view name);

/// Adds what the escape with this letter stands for within a class. Errors: false for a letter that
/// is none of them.
bool add_class_escape(char letter, CharSet& set);

}  // namespace quire
