#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/base/visible_text.h"

namespace quire {

/// 1234567 as "1,234,567", for messages about sizes and counts.
std::string with_separators(uint64_t value);

/// A shape as "(32, 48)"; a scalar's is "()".
std::string shape_text(std::span<const int64_t> shape);

/// Untrusted text for a message: visible_text() of its first 80 bytes, with quotes replaced.
std::string for_message(std::string_view text);

}  // namespace quire
