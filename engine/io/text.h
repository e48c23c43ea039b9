#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quire {

/// 1234567 as "1,234,567", for messages about sizes and counts.
std::string with_separators(uint64_t value);

/// A shape as "(32, 48)"; a scalar's is "()".
std::string shape_text(std::span<const int64_t> shape);

/// A message that may quote untrusted text, in printable characters: control characters, line ends
/// among them, become '?'. Ill-formed UTF-8 stays.
std::string printable(std::string_view message);

/// Untrusted text for a message: control characters and quotes replaced, cut after 80 bytes.
std::string for_message(std::string_view text);

}  // namespace quire
