#include "app/server/http/http_message.h"

#include <algorithm>

#include "app/server/http/http_syntax.h"

namespace quire {
namespace {

std::string json_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string string_or_null(std::string_view text) {
  return text.empty() ? "null" : json_string(text);
}

}  // namespace

std::string_view HttpRequest::field(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return {};
}

bool HttpRequest::has_field(std::string_view name) const {
  return std::any_of(fields.begin(), fields.end(),
                     [name](const auto& field) { return equal_ignoring_case(field.first, name); });
}

std::string_view error_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    default:
      return status < 500 ? "invalid_request_error" : "api_error";
  }
}

ApiDialect dialect_of(std::string_view path) {
  if (path.starts_with("/v1/messages")) return ApiDialect::kAnthropic;
  return path.starts_with("/api/") ? ApiDialect::kOllama : ApiDialect::kOpenAi;
}

std::string error_json(const ErrorFields& error, ApiDialect dialect) {
  const std::string message = json_string(error.message);
  if (dialect == ApiDialect::kOllama) return "{\"error\":" + message + "}";
  if (dialect == ApiDialect::kAnthropic) {
    return "{\"type\":\"error\",\"error\":{\"type\":" + json_string(error_type(error.status)) +
           ",\"message\":" + message + "}}";
  }
  return "{\"error\":{\"message\":" + message + ",\"type\":" + json_string(error.type) +
         ",\"param\":" + string_or_null(error.param) + ",\"code\":" + string_or_null(error.code) +
         "}}";
}

HttpResponse error_response(int status, std::string_view message, std::string_view path) {
  const ErrorFields error = {.status = status,
                             .message = message,
                             .type = status < 500 ? "invalid_request_error" : "server_error",
                             .code = status == 401 ? "invalid_api_key" : ""};
  HttpResponse response{.status = status,
                        .fields = {{"Content-Type", "application/json"}},
                        .body = error_json(error, dialect_of(path))};
  if (status == 429 || status == 503) response.fields.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace quire
