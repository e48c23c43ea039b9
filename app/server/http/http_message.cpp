#include "app/server/http/http_message.h"

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

}  // namespace

std::string_view HttpRequest::field(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return {};
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

HttpResponse error_response(int status, std::string_view message) {
  HttpResponse response{.status = status, .fields = {{"Content-Type", "application/json"}}};
  response.body = "{\"type\":\"error\",\"error\":{\"message\":" + json_string(message) +
                  ",\"type\":" + json_string(error_type(status)) +
                  ",\"param\":null,\"code\":null}}\n";
  if (status == 429 || status == 503) response.fields.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace quire
