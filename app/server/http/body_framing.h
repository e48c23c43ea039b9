#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "app/server/http/http_message.h"
#include "app/server/http/http_syntax.h"

namespace quire {

/// How a request's body is sent, and what follows it.
struct BodyFraming {
  bool is_chunked = false;
  uint64_t length = 0;  ///< Of the body, unless it is in chunks.
  bool expects_continue = false;
  bool keeps_alive = true;  ///< The client wants to send further requests.

  bool has_body() const { return is_chunked || length > 0; }
};

/// "Name: value" of a header or a trailer, without its end. Errors: 400, also for a line that goes
/// on from the one before it.
std::optional<HttpFailure> parse_field(std::string_view line, HttpFields& fields);

/// Reads the fields that decide where a request ends. Two servers that disagree about that could be
/// made to see different requests, so that everything ambiguous is refused: two lengths, even equal
/// ones, a length beside chunks, chunks in HTTP/1.0, any other encoding.
/// Errors: 400 (also for a missing or second Host), 415, 417, 501.
std::optional<HttpFailure> read_framing(const HttpFields& fields, int minor_version,
                                        BodyFraming& framing);

}  // namespace quire
