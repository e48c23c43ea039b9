#pragma once

#include <QString>

#include <string>

#include "app/server/http/http_message.h"
#include "kernels/base/result.h"

namespace quire {

/// Why a request is not answered. Sentences are English, for programmers.
struct ApiError {
  int status = 400;
  std::string message;
  std::string type = "invalid_request_error";
  std::string param = {};     ///< The field at fault; empty: none.
  std::string code = {};      ///< "context_length_exceeded"; empty: none.
  int retryAfterSeconds = 0;  ///< Of 429 and 503; 0: not said.
};

HttpResponse errorResponse(const ApiError& error, ApiDialect dialect);
/// The error as it stands in the middle of a stream: {"error": {...}} or the dialect's own object.
std::string errorJson(const ApiError& error, ApiDialect dialect);

/// What the engine says of a request, as an error of the API: 400 for what the request says, 404
/// and 503 for what cannot be loaded or computed.
ApiError apiErrorOf(ErrorCode code, const std::string& message);
/// The same of a sentence in the window's language.
ApiError apiErrorOf(ErrorCode code, const QString& shown);

ApiError badField(const std::string& param, const std::string& message);
ApiError unsupported(const std::string& param, const std::string& message);

}  // namespace quire
