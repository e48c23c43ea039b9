#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quire {

/// GPT-2's map of bytes to printable characters, in which byte-level vocabularies are spelt:
/// 0x21 to 0x7E, 0xA1 to 0xAC and 0xAE to 0xFF stand for themselves, the others for U+0100 onwards.
std::string to_byte_level(std::string_view bytes);

/// The bytes that a token spells; nothing if one of its characters maps to no byte.
std::optional<std::string> from_byte_level(std::string_view token);

/// "<0x0A>" is one byte; nothing if the token is spelt otherwise.
std::optional<char> byte_token_value(std::string_view token);

}  // namespace quire
