#pragma once

#include <optional>
#include <string>

#include "app/server/api/api_error.h"
#include "app/server/api/generation_request.h"

namespace quire {

/// A request to /api/chat or /api/generate.
struct OllamaRequest {
  GenerationRequest generation;
  bool isStreamed = true;
  bool isChat = true;
  /// It has no messages, or no prompt: the model is only loaded.
  bool isLoadOnly = false;
  int64_t contextTokens = 0;  ///< options.num_ctx: what the context must hold at least.
};

/// Both read a request's body. Errors: 400, with the field at fault.
std::optional<ApiError> parseOllamaChat(const std::string& body, OllamaRequest& request);
std::optional<ApiError> parseOllamaGenerate(const std::string& body, OllamaRequest& request);

}  // namespace quire
