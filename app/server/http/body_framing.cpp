#include "app/server/http/body_framing.h"

#include <algorithm>
#include <vector>

namespace quire {
namespace {

using Values = std::vector<std::string_view>;

Values values_of(const HttpFields& fields, std::string_view name) {
  Values values;
  for (const auto& [key, value] : fields) {
    if (equal_ignoring_case(key, name)) values.push_back(value);
  }
  return values;
}

std::optional<uint64_t> parse_length(std::string_view text) {
  constexpr size_t kMaxDigits = 18;  // Below 2^63.
  const bool is_number =
      !text.empty() && text.size() <= kMaxDigits &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return {};
  uint64_t length = 0;
  for (const char c : text) length = length * 10 + static_cast<uint64_t>(c - '0');
  return length;
}

std::optional<HttpFailure> read_encoding(const Values& encodings, int minor_version,
                                         BodyFraming& framing) {
  if (encodings.empty()) return {};
  if (encodings.size() > 1 || minor_version < 1) {
    return HttpFailure{400, "The request's Transfer-Encoding is ambiguous."};
  }
  if (!equal_ignoring_case(encodings[0], "chunked")) {
    return HttpFailure{501, "The only Transfer-Encoding that this server reads is chunked."};
  }
  framing.is_chunked = true;
  return {};
}

std::optional<HttpFailure> read_length(const Values& lengths, BodyFraming& framing) {
  if (lengths.empty()) return {};
  if (lengths.size() > 1) return HttpFailure{400, "The request has more than one Content-Length."};
  if (framing.is_chunked) {
    return HttpFailure{400, "The request has a Content-Length beside a Transfer-Encoding."};
  }
  const auto length = parse_length(lengths[0]);
  if (!length) return HttpFailure{400, "The request's Content-Length is not a number of bytes."};
  framing.length = *length;
  return {};
}

std::optional<HttpFailure> check_host(const Values& hosts, int minor_version) {
  if (hosts.empty() && minor_version < 1) return {};
  if (hosts.size() != 1) return HttpFailure{400, "The request must have one Host field."};
  if (!host_without_port(hosts[0])) {
    return HttpFailure{400, "The request's Host field is not a name or an address."};
  }
  return {};
}

bool wants_more_requests(const Values& connections, int minor_version) {
  const auto has = [&connections](std::string_view token) {
    return std::any_of(connections.begin(), connections.end(),
                       [token](std::string_view value) { return list_contains(value, token); });
  };
  if (has("close")) return false;
  return minor_version > 0 || has("keep-alive");
}

}  // namespace

std::optional<HttpFailure> parse_field(std::string_view line, HttpFields& fields) {
  const size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) {
    return HttpFailure{400, "A line of the request's header is not a name, a colon and a value."};
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_field_value(value)) {
    return HttpFailure{400, "A field of the request's header has control characters."};
  }
  fields.emplace_back(line.substr(0, colon), value);
  return {};
}

std::optional<HttpFailure> read_framing(const HttpFields& fields, int minor_version,
                                        BodyFraming& framing) {
  framing = {};
  framing.keeps_alive = wants_more_requests(values_of(fields, "Connection"), minor_version);
  if (auto failure = check_host(values_of(fields, "Host"), minor_version)) return failure;
  const Values encodings = values_of(fields, "Transfer-Encoding");
  if (auto failure = read_encoding(encodings, minor_version, framing)) return failure;
  if (auto failure = read_length(values_of(fields, "Content-Length"), framing)) return failure;
  for (const std::string_view encoding : values_of(fields, "Content-Encoding")) {
    if (equal_ignoring_case(encoding, "identity")) continue;
    return HttpFailure{415, "This server reads no compressed bodies (Content-Encoding)."};
  }
  for (const std::string_view expected : values_of(fields, "Expect")) {
    if (!equal_ignoring_case(expected, "100-continue")) {
      return HttpFailure{417, "The only Expect that this server knows is 100-continue."};
    }
    framing.expects_continue = minor_version > 0;
  }
  return {};
}

}  // namespace quire
