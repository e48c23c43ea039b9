#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "app/server/api/api_error.h"
#include "app/server/api/generation_request.h"

namespace quire {

/// A request to /v1/responses.
struct ResponsesRequest {
  GenerationRequest generation;
  bool isStreamed = false;
  /// What the response repeats of the request: instructions, tools, temperature and so on.
  nlohmann::ordered_json echo = nlohmann::ordered_json::object();
};

/// Reads a request's body. Errors: 400, with the field at fault.
std::optional<ApiError> parseResponsesRequest(const std::string& body, ResponsesRequest& request);

}  // namespace quire
