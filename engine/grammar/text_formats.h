#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quire {

/// The regular expression of the strings of a schema's "format": date, time, date-time, duration,
/// email, hostname, ipv4, ipv6, uuid. None for others.
std::optional<std::string> pattern_of_format(std::string_view format);

}  // namespace quire
