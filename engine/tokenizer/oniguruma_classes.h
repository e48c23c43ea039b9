#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// The sets of characters that Oniguruma's names and escapes stand for, in PCRE2's syntax. A
/// "content" is written between the brackets of a class.

/// A set of characters: the content of a class, and expressions for sets that no class can write.
struct CharSet {
  std::string content;
  std::vector<std::string> others;  ///< Expressions for one character each.
};

/// The set as an expression for one character.
std::string expression_of(const CharSet& set, bool is_negated);

/// "\x{00002c}"
std::string escaped_code(uint32_t character);

/// The content for a general category or a script by its name.
std::string oniguruma_category(std::string_view name);
/// The content for \w.
const std::string& oniguruma_word();

/// The contents for \p{name} and [:name:]; null for an unknown name.
const std::string* oniguruma_property(std::string_view name);
const std::string* oniguruma_posix_class(std::string_view name);

/// Adds the set that the escape with this letter stands for. Returns false for an unknown letter.
bool add_class_escape(char letter, CharSet& set);

}  // namespace quire
