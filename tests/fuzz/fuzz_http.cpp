#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/server/http/access_log.h"
#include "app/server/http/access_rules.h"
#include "app/server/http/http_syntax.h"
#include "app/server/http/output_buffer.h"
#include "app/server/http/request_parser.h"
#include "kernels/base/visible_text.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

/// Small, so that short inputs run into them.
constexpr RequestLimits kLimits{.max_header_bytes = 512, .max_body_bytes = 256};
constexpr const char* kKey = "the-right-key";

/// What a connection made of its bytes: the requests, and the status that ended it.
struct Outcome {
  std::vector<HttpRequest> requests = {};
  int status = 0;  ///< 0: no request failed.
};

void require_framed(const HttpRequest& request, const BodyFraming& framing) {
  require(request.fields.size() <= RequestParser::kMaxFields, "more fields than the limit");
  require(request.body.size() <= kLimits.max_body_bytes, "a longer body than the limit");
  require(framing.is_chunked || request.body.size() == framing.length, "a body of another length");
  require(!request.path.empty() && visible_text(request.path) == request.path,
          "a path with control characters");
  size_t header_bytes = 0;
  int hosts = 0;
  for (const auto& [name, value] : request.fields) {
    require(is_token(name) && is_field_value(value), "a field that is none");
    header_bytes += name.size() + value.size() + 3;
    hosts += equal_ignoring_case(name, "Host");
  }
  require(header_bytes <= kLimits.max_header_bytes, "a longer header than the limit");
  require(hosts <= 1, "two hosts");
}

/// Reads `bytes` in pieces of `cut` bytes.
Outcome read(std::string_view bytes, size_t cut) {
  Outcome outcome;
  std::optional<RequestParser> parser(kLimits);
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, cut);
    bytes.remove_prefix(piece.size());
    while (!piece.empty()) {
      const size_t used = parser->feed(piece);
      require(used <= piece.size(), "more bytes were used than there are");
      piece.remove_prefix(used);
      if (parser->state() == RequestParser::State::kFailed) {
        outcome.status = parser->failure().status;
        require(outcome.status >= 400 && outcome.status <= 505, "a status that is no error");
        require(!parser->failure().message.empty(), "an error without a sentence");
        return outcome;
      }
      require(used > 0, "bytes that are never used");
      if (parser->state() != RequestParser::State::kComplete) continue;
      require_framed(parser->request(), parser->framing());
      outcome.requests.push_back(std::move(parser->request()));
      parser.emplace(kLimits);
    }
  }
  return outcome;
}

bool is_same(const HttpRequest& a, const HttpRequest& b) {
  return a.method == b.method && a.path == b.path && a.query == b.query && a.fields == b.fields &&
         a.body == b.body;
}

void require_same(const Outcome& a, const Outcome& b) {
  require(a.status == b.status, "how the bytes are cut decides whether they are refused");
  require(std::equal(a.requests.begin(), a.requests.end(), b.requests.begin(), b.requests.end(),
                     is_same),
          "how the bytes are cut decides what is read");
}

/// Who is let through has a key, or is near by a name that is certainly this machine's.
void require_safe(const HttpRequest& request) {
  static const AccessRules without_key = *AccessRules::create({});
  static const AccessRules with_key =
      *AccessRules::create({.host = "0.0.0.0", .keys = {kKey}, .origins = {"https://a.example"}});
  HttpRequest near = request;
  near.is_loopback = true;
  if (!without_key.decide(near).answer) {
    const auto host = host_without_port(request.field("Host"));
    require(host && is_loopback_name(*host) && request.field("Origin").empty(),
            "a request of a page or for another name was let through");
  }
  require(without_key.decide(request).answer.has_value(), "a far client was let through");
  const HttpVerdict verdict = with_key.decide(request);
  bool has_key = false;
  for (const auto& [name, value] : request.fields) has_key |= value.find(kKey) != value.npos;
  require(has_key || verdict.answer.has_value(), "a client without a key was let through");
  if (!verdict.answer) return;
  // What is echoed of the request stays one field.
  OutputBuffer output;
  output.add_response(*verdict.answer, verdict.fields, {.length = verdict.answer->body.size()},
                      false);
  const std::string head(output.next().front());
  require(head.find("\r\n\r\n") == head.size() - 4, "a header that ends early");
  require(std::count(head.begin(), head.end(), '\n') == std::count(head.begin(), head.end(), '\r'),
          "a header with a line feed alone");
}

void require_loggable(const HttpRequest& request) {
  const HttpRecord record{.peer = "127.0.0.1:1", .method = request.method, .path = request.path};
  const std::string line = access_log_line(record, {});
  require(std::count(line.begin(), line.end(), ' ') == 6, "a log line with other columns");
  require(visible_text(line) == line, "a log line with control characters");
}

}  // namespace

void fuzz_http(std::string_view bytes) {
  const Outcome whole = read(bytes, bytes.size() + 1);
  require_same(whole, read(bytes, 1));
  require_same(whole, read(bytes, 7));
  for (const HttpRequest& request : whole.requests) {
    require_safe(request);
    require_loggable(request);
  }
}

}  // namespace quire::fuzz
