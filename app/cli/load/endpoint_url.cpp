#include "app/cli/load/endpoint_url.h"

#include <algorithm>
#include <charconv>

#include "kernels/base/visible_text.h"

namespace quire {
namespace {

Error bad_url(std::string_view text) {
  return {ErrorCode::kInvalidArgument, "'" + visible_text(text.substr(0, 200)) +
                                           "' is not a URL such as http://127.0.0.1:8000/v1."};
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

/// Letters, digits and signs of host names and addresses, and of the paths of APIs.
bool is_plain(std::string_view text, std::string_view signs) {
  return std::ranges::all_of(text, [&](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           signs.find(static_cast<char>(c)) != signs.npos;
  });
}

}  // namespace

std::string EndpointUrl::authority() const {
  const bool is_ipv6 = host.find(':') != host.npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

Result<EndpointUrl> parse_endpoint_url(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    return Error{ErrorCode::kUnsupported,
                 "https is not supported; measure the server itself, by http."};
  }
  if (rest.starts_with("http://")) rest.remove_prefix(7);
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view host = rest.substr(0, slash);
  std::string_view path = rest.substr(slash);
  EndpointUrl url;
  const size_t closing = host.starts_with('[') ? host.find(']') : 0;
  if (closing == host.npos) return bad_url(text);
  const size_t colon = host.find(':', closing);
  if (colon != host.npos) {
    url.port = host.substr(colon + 1);
    host = host.substr(0, colon);
    if (!is_port(url.port)) return bad_url(text);
  }
  if (closing > 0) {
    if (!host.ends_with(']')) return bad_url(text);
    host = host.substr(1, host.size() - 2);
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  if (host.empty() || !is_plain(host, closing > 0 ? ".:" : ".-_") || !is_plain(path, "/.-_~%")) {
    return bad_url(text);
  }
  url.host = host;
  if (!path.empty()) url.base = path;
  return url;
}

}  // namespace quire
