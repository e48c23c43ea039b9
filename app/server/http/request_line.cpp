#include "app/server/http/request_line.h"

#include <algorithm>

namespace quire {
namespace {

std::optional<HttpFailure> parse_version(std::string_view text, int& minor_version) {
  const bool has_form = text.size() == 8 && text.starts_with("HTTP/") && text[6] == '.' &&
                        text[5] >= '0' && text[5] <= '9' && text[7] >= '0' && text[7] <= '9';
  if (!has_form) return HttpFailure{400, "The request line does not end with HTTP/1.1."};
  if (text[5] != '1') return HttpFailure{505, "This server speaks HTTP/1.1 and HTTP/1.0."};
  minor_version = text[7] - '0';
  if (minor_version > 1) return HttpFailure{505, "This server speaks HTTP/1.1 and HTTP/1.0."};
  return {};
}

/// What a path or a query consists of (RFC 3986).
bool is_target_char(char c) {
  constexpr std::string_view kSigns = "-._~!$&'()*+,;=:@/?%";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kSigns.find(c) != kSigns.npos;
}

std::optional<HttpFailure> parse_target(std::string_view target, RequestLine& line) {
  if (target == "*" && line.method == "OPTIONS") {
    line.path = target;
    return {};
  }
  if (!target.starts_with('/')) {
    return HttpFailure{400, "The request's target must be a path that begins with a slash."};
  }
  const size_t mark = std::min(target.find('?'), target.size());
  const auto path = decoded_path(target.substr(0, mark));
  if (!path || !std::all_of(target.begin(), target.end(), is_target_char)) {
    return HttpFailure{400, "The request's target has characters that a URL may not have."};
  }
  line.path = *path;
  line.query = target.substr(std::min(mark + 1, target.size()));
  return {};
}

}  // namespace

std::optional<HttpFailure> parse_request_line(std::string_view text, RequestLine& line) {
  const size_t first = text.find(' ');
  const size_t second = first == text.npos ? first : text.find(' ', first + 1);
  if (second == text.npos || !is_token(text.substr(0, first))) {
    return HttpFailure{400, "The request line is not a method, a target and a version."};
  }
  line.method = text.substr(0, first);
  if (auto failure = parse_version(text.substr(second + 1), line.minor_version)) return failure;
  constexpr std::string_view kMethods[] = {"GET",   "HEAD",   "POST",   "PUT",
                                           "PATCH", "DELETE", "OPTIONS"};
  if (std::find(std::begin(kMethods), std::end(kMethods), line.method) == std::end(kMethods)) {
    return HttpFailure{501, "This server does not know the request's method."};
  }
  return parse_target(text.substr(first + 1, second - first - 1), line);
}

}  // namespace quire
