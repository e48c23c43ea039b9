#pragma once

#include <string_view>

namespace quire {

/// U+2581, which SentencePiece's vocabularies write for a space.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

}  // namespace quire
