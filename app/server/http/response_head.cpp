#include "app/server/http/response_head.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "app/server/http/http_syntax.h"

namespace quire {
namespace {

bool is_servers_own(std::string_view name) {
  constexpr std::string_view kOwn[] = {"connection", "content-length", "date", "keep-alive",
                                       "transfer-encoding"};
  const std::string lower = lower_case(name);
  return std::find(std::begin(kOwn), std::end(kOwn), lower) != std::end(kOwn);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (const char c : value) out += is_field_value({&c, 1}) ? c : ' ';
  out += "\r\n";
}

void append_fields(std::string& out, const HttpFields& fields) {
  for (const auto& [name, value] : fields) {
    if (is_token(name) && !is_servers_own(name)) append_field(out, name, value);
  }
}

}  // namespace

std::string response_head(const HttpResponse& response, const HttpFields& more_fields,
                          const ResponseFraming& framing, std::time_t time) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  append_field(out, "Date", http_date(time));
  // Browsers are to believe the Content-Type: text of a model or a user is never a page.
  append_field(out, "X-Content-Type-Options", "nosniff");
  append_fields(out, response.fields);
  append_fields(out, more_fields);
  if (framing.is_chunked) append_field(out, "Transfer-Encoding", "chunked");
  if (framing.length) append_field(out, "Content-Length", std::to_string(*framing.length));
  if (!framing.keeps_alive) append_field(out, "Connection", "close");
  if (framing.keeps_alive && framing.minor_version == 0) {
    append_field(out, "Connection", "keep-alive");
  }
  return out + "\r\n";
}

bool has_no_body(int status) {
  return status == 204 || status == 304;
}

std::string http_date(std::time_t time) {
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm t{};
  gmtime_r(&time, &t);
  char text[64];
  std::snprintf(text, sizeof text, "%s, %02d %s %d %02d:%02d:%02d GMT", kDays[t.tm_wday], t.tm_mday,
                kMonths[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
  return text;
}

}  // namespace quire
