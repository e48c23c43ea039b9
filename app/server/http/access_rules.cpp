#include "app/server/http/access_rules.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/server/http/http_syntax.h"

namespace quire {
namespace {

constexpr size_t kMaxKeyBytes = 1024;

bool is_key(std::string_view text) {
  return !text.empty() && text.size() <= kMaxKeyBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

/// "scheme://host" or "scheme://host:port", as browsers send it.
bool is_origin(std::string_view text) {
  const size_t scheme = text.find("://");
  if (scheme == text.npos || !is_token(text.substr(0, scheme))) return false;
  return host_without_port(text.substr(scheme + 3)).has_value();
}

/// How long the refusal of a wrong key is held back. HeldConnections limits how many keys can be
/// tried in this time.
constexpr std::chrono::milliseconds kWrongKeyDelay{1000};

HttpVerdict refusal(int status, std::string_view message, const HttpRequest& request) {
  return {.answer = error_response(status, message, request.path)};
}

HttpVerdict key_refusal(std::string_view message, const HttpRequest& request) {
  HttpVerdict verdict = refusal(401, message, request);
  verdict.answer->fields.emplace_back("WWW-Authenticate", "Bearer");
  return verdict;
}

/// The key in `Authorization: Bearer KEY`; empty: there is none.
std::string_view bearer_of(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return trimmed(authorization.substr(kScheme.size()));
}

/// What a page may send and read; answers are not kept by the browser for long.
HttpVerdict preflight(const HttpRequest& request, HttpFields fields) {
  HttpResponse response{.status = 204, .fields = std::move(fields)};
  response.fields.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
  response.fields.emplace_back("Access-Control-Allow-Headers", "Authorization, *");
  response.fields.emplace_back("Access-Control-Max-Age", "600");
  if (equal_ignoring_case(request.field("Access-Control-Request-Private-Network"), "true")) {
    response.fields.emplace_back("Access-Control-Allow-Private-Network", "true");
  }
  return {.answer = std::move(response)};
}

/// Browsers say of each request, also of those without Origin, whose page has made it.
bool is_of_another_page(const HttpRequest& request) {
  const std::string_view site = request.field("Sec-Fetch-Site");
  return equal_ignoring_case(site, "cross-site") || equal_ignoring_case(site, "same-site");
}

}  // namespace

bool is_loopback_name(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (equal_ignoring_case(host, "localhost") || host == "::1") return true;
  // 127.0.0.0/8 in full: "127.evil.org" is a name.
  int dots = 0;
  size_t digits = 0;
  for (const char c : host) {
    if (c == '.') {
      ++dots;
      if (digits == 0 || digits > 3) return false;
      digits = 0;
    } else if (c >= '0' && c <= '9') {
      ++digits;
    } else {
      return false;
    }
  }
  return dots == 3 && digits > 0 && digits <= 3 && host.starts_with("127.");
}

bool equal_in_constant_time(std::string_view given, std::string_view secret) {
  uint8_t difference = given.size() == secret.size() ? 0 : 1;
  if (secret.empty()) return false;
  for (size_t i = 0; i < given.size(); ++i) {
    // Beyond the secret's end its last byte stands for all.
    const char expected = secret[std::min(i, secret.size() - 1)];
    difference = static_cast<uint8_t>(difference | (given[i] ^ expected));
  }
  return difference == 0;
}

Result<AccessRules> AccessRules::create(AccessOptions options) {
  for (const std::string& key : options.keys) {
    if (is_key(key)) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "An API key must have 1 to 1024 letters, digits or signs of ASCII, without "
                      "spaces; choose another one.");
  }
  if (options.keys.empty() && !is_loopback_name(options.host)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "At %1 others can reach the server: set an API key, or let it listen at "
                      "127.0.0.1.",
                      {options.host});
  }
  if (options.keys.empty() && !options.origins.empty()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "Web pages can be allowed only with an API key: set one, or allow no "
                      "origins.");
  }
  for (std::string& origin : options.origins) {
    origin = lower_case(origin);
    if (origin == "*" || is_origin(origin)) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "%1 is not the origin of a web page: write it like https://example.org.",
                      {origin});
  }
  return AccessRules(std::move(options));
}

bool AccessRules::is_known_host(std::string_view host) const {
  if (is_loopback_name(host) || equal_ignoring_case(host, m_options.host)) return true;
  return std::any_of(m_options.names.begin(), m_options.names.end(),
                     [host](const std::string& name) { return equal_ignoring_case(host, name); });
}

bool AccessRules::is_allowed_origin(std::string_view origin) const {
  return std::any_of(m_options.origins.begin(), m_options.origins.end(),
                     [&](const std::string& allowed) {
                       return allowed == "*" || equal_ignoring_case(allowed, origin);
                     });
}

bool AccessRules::has_key(const HttpRequest& request) const {
  const std::string_view bearer = bearer_of(request.field("Authorization"));
  const std::string_view other = request.field("x-api-key");
  bool is_right = false;
  for (const std::string& key : m_options.keys) {  // All of them, so that the time says nothing.
    is_right |= equal_in_constant_time(bearer, key);
    is_right |= equal_in_constant_time(other, key);
  }
  return is_right;
}

HttpVerdict AccessRules::decide(const HttpRequest& request) const {
  const auto host = host_without_port(request.field("Host"));
  if (!host)
    return refusal(400, "The request needs a Host field with the name or address of this server.",
                   request);
  if (request.is_loopback && !is_known_host(*host)) {
    return refusal(403, "This server is not known by the name in the Host field; use localhost.",
                   request);
  }
  if (m_options.keys.empty()) {
    if (!request.is_loopback || !is_loopback_name(*host)) {
      return refusal(403, "Without an API key only programs of this computer are served.", request);
    }
    if (request.has_field("Origin") || is_of_another_page(request)) {
      return refusal(403, "Without an API key no web pages are served.", request);
    }
    return {};
  }
  const std::string_view origin = request.field("Origin");
  HttpVerdict verdict = request.has_field("Origin") ? decide_page(request, origin) : HttpVerdict{};
  if (verdict.answer || has_key(request)) return verdict;
  const bool is_given =
      !request.field("Authorization").empty() || !request.field("x-api-key").empty();
  HttpVerdict refused =
      key_refusal(is_given ? "The API key is wrong."
                           : "An API key is required: send it as \"Authorization: Bearer KEY\".",
                  request);
  if (is_given) refused.delay = kWrongKeyDelay;
  refused.fields = std::move(verdict.fields);
  return refused;
}

/// The fields that let a page read the response; or the answer to a preflight request, or to a
/// page that is not allowed.
HttpVerdict AccessRules::decide_page(const HttpRequest& request, std::string_view origin) const {
  if (origin.empty() || !is_allowed_origin(origin)) {
    return refusal(403, "Web pages of this origin are not allowed to use the server.", request);
  }
  HttpFields fields = {{"Access-Control-Allow-Origin", std::string(origin)}, {"Vary", "Origin"}};
  const bool is_preflight =
      request.method == "OPTIONS" && !request.field("Access-Control-Request-Method").empty();
  if (is_preflight) return preflight(request, std::move(fields));
  return {.fields = std::move(fields)};
}

}  // namespace quire
