#pragma once

#include <string>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// Translates a regular expression from Oniguruma's Ruby syntax, which Hugging Face's tokenizers
/// use, to PCRE2's. The differences:
/// - \s is Unicode's White_Space (PCRE2 adds U+180E), \w has all of Alphabetic, M, N and Pc, \h is
///   a hexadecimal digit, \v one character, \b follows from \w;
/// - \p{Han} is the script (in PCRE2: script extensions), [[:punct:]] includes all symbols;
/// - classes nest and intersect: [a[^b]], [\p{L}&&[^\p{Han}]];
/// - x{1,3}+ repeats x{1,3} (PCRE2: possessive), x{,3} is x{0,3}, x{2}? is optional;
/// - (?m:.) lets a dot match line breaks.
/// - classes contain the characters that Unicode added after PCRE2's tables.
/// Groups capture nothing.
/// Errors: kUnsupported naming the construct: back references, calls, conditions, callouts, flags
/// within a pattern, unknown escapes.
Result<std::string> translate_oniguruma(std::string_view pattern);

}  // namespace quire
