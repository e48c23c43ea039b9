#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quire {

/// Why a request cannot be served, before any endpoint has seen it.
struct HttpFailure {
  int status = 400;
  std::string message;  ///< One sentence, which repeats nothing of the request but numbers.
};

// The parts of HTTP's grammar (RFC 9110 and 9112), read strictly.

/// One or more characters of a token: a method, a field's name.
bool is_token(std::string_view text);
/// Visible characters, spaces, tabs and bytes above 0x7F.
bool is_field_value(std::string_view text);
/// In ASCII.
bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string lower_case(std::string_view text);
/// Without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);
/// Whether a list with commas has the token, in any case.
bool list_contains(std::string_view list, std::string_view token);

/// The path that a target's path stands for. None: a broken escape, or what it stands for has
/// control characters, marks that change the order of text, or bytes that are no UTF-8.
std::optional<std::string> decoded_path(std::string_view path);

/// The name or address in a Host field, an IPv6 address without its brackets. None: it is neither.
std::optional<std::string_view> host_without_port(std::string_view host);

/// "Not Found"; empty for a status that is not known.
std::string_view reason_phrase(int status);

}  // namespace quire
