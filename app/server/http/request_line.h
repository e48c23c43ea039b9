#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/server/http/http_syntax.h"

namespace quire {

/// "GET /v1/models?limit=2 HTTP/1.1"
struct RequestLine {
  std::string method;
  std::string path;   ///< Decoded.
  std::string query;  ///< As it is, without the question mark.
  int minor_version = 1;
};

inline constexpr size_t kMaxRequestLineBytes = 8 << 10;

/// Reads a request's first line, without its end, into `line`. Only the origin form of a target is
/// accepted ("/path?query"), and "*" of OPTIONS: a whole URL is what clients send to a proxy, and
/// its host could differ from that of the Host field.
/// Errors: 400; 501 for methods that no server of ours knows; 505.
std::optional<HttpFailure> parse_request_line(std::string_view text, RequestLine& line);

}  // namespace quire
