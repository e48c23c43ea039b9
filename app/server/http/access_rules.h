#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/server/http/http_message.h"
#include "kernels/base/result.h"

namespace quire {

struct AccessOptions {
  std::string host = "127.0.0.1";         ///< HttpServerOptions::host.
  std::vector<std::string> keys = {};     ///< Empty: only programs of this machine are served.
  std::vector<std::string> origins = {};  ///< "https://example.org", or "*": any.
  std::vector<std::string> names = {};    ///< By which else the server may be called (Host).
};

/// Decides who is served.
///
/// - A Host field is required. A connection from this machine must name it by a loopback name or
///   address, by AccessOptions::host or by one of `names`: so a page whose name an attacker has
///   pointed at this machine (DNS rebinding) reaches nothing.
/// - With keys, each request needs one of them: `Authorization: Bearer KEY` or `x-api-key: KEY`.
///   Those of web pages (Origin) also need an allowed origin; preflight requests need only that.
/// - Without keys, only connections from this machine are served, and no web pages: neither a
///   request with an Origin field, even an empty one, nor one that a browser marks as another
///   site's.
/// - A wrong key is refused after a second; the time to compare it says nothing of the right one.
///
/// Thread: any; immutable. Answers and errors never contain a key.
class AccessRules {
 public:
  /// Errors: an address other than loopback without a key; allowed origins without a key; a key or
  /// an origin that cannot be sent in a header.
  static Result<AccessRules> create(AccessOptions options);

  /// For HttpServerOptions::gate: answers 400, 401, 403 or a preflight request, or lets it through.
  HttpVerdict decide(const HttpRequest& request) const;

 private:
  explicit AccessRules(AccessOptions options) : m_options(std::move(options)) {}
  bool is_known_host(std::string_view host) const;
  bool is_allowed_origin(std::string_view origin) const;
  bool has_key(const HttpRequest& request) const;
  HttpVerdict decide_page(const HttpRequest& request, std::string_view origin) const;

  AccessOptions m_options;
};

/// "127.0.0.1" (all of 127.0.0.0/8), "::1", "[::1]" or "localhost", without a port.
bool is_loopback_name(std::string_view host);

/// Compares in a time that depends only on the length of `given`.
bool equal_in_constant_time(std::string_view given, std::string_view secret);

}  // namespace quire
