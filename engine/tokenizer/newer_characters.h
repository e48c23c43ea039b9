#pragma once

#include <string>
#include <string_view>

namespace quire {

/// Characters of a general category ("L", "Lu") or of the script "Han" that Unicode has gained
/// since version 14, whose tables PCRE2 10.42 has, as ranges of a PCRE2 class; nothing for other
/// names. A newer PCRE2 knows them itself, to which they change nothing.
std::string newer_characters(std::string_view name);

}  // namespace quire
