#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>

#include "app/server/http/http_message.h"

namespace quire {

/// What a response's header says of its body and of the connection.
struct ResponseFraming {
  std::optional<size_t> length = {};  ///< Content-Length; none: in chunks, or until the end.
  bool is_chunked = false;
  bool keeps_alive = false;
  int minor_version = 1;  ///< Of the request.
};

/// A response's header up to the empty line. Fields that the server itself decides (Connection,
/// Content-Length, Date, Transfer-Encoding) are left out of the response's own, and characters that
/// would end a field become spaces.
std::string response_head(const HttpResponse& response, const HttpFields& more_fields,
                          const ResponseFraming& framing, std::time_t time);

/// A response with this status never has a body.
bool has_no_body(int status);

/// "Thu, 26 Nov 2026 09:31:45 GMT", in English whatever the locale.
std::string http_date(std::time_t time);

}  // namespace quire
