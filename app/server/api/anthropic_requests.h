#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/server/api/api_error.h"
#include "app/server/api/generation_request.h"

namespace quire {

/// A request to /v1/messages.
struct MessagesRequest {
  GenerationRequest generation;
  bool isStreamed = false;
  std::vector<std::string> stops;  ///< The client's own.
};

/// Reads the body of /v1/messages, or of its count_tokens. Errors: 400, with the field at fault.
std::optional<ApiError> parseMessagesRequest(const std::string& body, MessagesRequest& request);
std::optional<ApiError> parseCountRequest(const std::string& body, MessagesRequest& request);

}  // namespace quire
