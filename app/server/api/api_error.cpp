#include "app/server/api/api_error.h"

#include <algorithm>
#include <array>

#include "app/error_strings.h"

namespace quire {
namespace {

/// The field of a request that the engine's sentence begins with: "stop has 65 strings; ...".
std::string fieldOf(const std::string& message) {
  constexpr std::array kFields = {"temperature",
                                  "top_k",
                                  "top_p",
                                  "min_p",
                                  "presence_penalty",
                                  "frequency_penalty",
                                  "seed",
                                  "repetition_penalty",
                                  "max_tokens",
                                  "min_tokens",
                                  "stop",
                                  "logit_bias",
                                  "stop_token_ids"};
  const std::string first = message.substr(0, message.find(' '));
  return std::ranges::find(kFields, first) == kFields.end() ? std::string() : first;
}

/// A message may quote bytes of the request.
std::string validText(const std::string& text) {
  return QString::fromStdString(text).toStdString();
}

}  // namespace

std::string errorJson(const ApiError& error, ApiDialect dialect) {
  const std::string message = validText(error.message);
  const std::string param = validText(error.param);
  return error_json({.status = error.status,
                     .message = message,
                     .type = error.type,
                     .param = param,
                     .code = error.code},
                    dialect);
}

HttpResponse errorResponse(const ApiError& error, ApiDialect dialect) {
  HttpResponse response = {.status = error.status,
                           .fields = {{"Content-Type", "application/json"}},
                           .body = errorJson(error, dialect)};
  if (error.retryAfterSeconds > 0) {
    response.fields.emplace_back("Retry-After", std::to_string(error.retryAfterSeconds));
  }
  return response;
}

ApiError apiErrorOf(ErrorCode code, const std::string& message) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported:
    case ErrorCode::kTemplate:
      return {.message = message, .param = fieldOf(message)};
    case ErrorCode::kContextOverflow:
      return {.message = message, .code = "context_length_exceeded"};
    case ErrorCode::kNotFound:
      return {.status = 404, .message = message, .code = "model_not_found"};
    case ErrorCode::kCorruptFile:
    case ErrorCode::kOutOfMemory:
    case ErrorCode::kIo:
    case ErrorCode::kCancelled:
    case ErrorCode::kDevice:
      return {.status = 503, .message = message, .type = "server_error", .retryAfterSeconds = 5};
    case ErrorCode::kInternal:
      break;
  }
  return {.status = 500, .message = message, .type = "server_error"};
}

ApiError apiErrorOf(ErrorCode code, const QString& shown) {
  return apiErrorOf(code, englishText(shown));
}

ApiError badField(const std::string& param, const std::string& message) {
  return {.message = message, .param = param};
}

ApiError unsupported(const std::string& param, const std::string& message) {
  return {.message = message, .param = param, .code = "unsupported_parameter"};
}

}  // namespace quire
