#pragma once

#include <string>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// Where an OpenAI-compatible API is.
struct EndpointUrl {
  std::string host;  ///< Without the brackets of an IPv6 address.
  std::string port = "80";
  std::string base = "/v1";  ///< What the paths of the API begin with.

  /// The value of the Host field.
  std::string authority() const;
};

/// Reads "http://127.0.0.1:8000", "localhost:8000/v1" and the like; without a path it is /v1.
/// Errors: kInvalidArgument; kUnsupported for https.
Result<EndpointUrl> parse_endpoint_url(std::string_view text);

}  // namespace quire
