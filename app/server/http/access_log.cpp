#include "app/server/http/access_log.h"

#include <cstdio>
#include <ctime>
#include <string_view>

#include "kernels/base/visible_text.h"

namespace quire {
namespace {

constexpr size_t kMaxPathBytes = 256;

/// One word of the line: spaces in it are escaped as in a URL.
std::string word(std::string_view text) {
  if (text.empty()) return "-";
  std::string out;
  for (const char c : visible_text(text.substr(0, kMaxPathBytes))) {
    if (c == ' ') {
      out += "%20";
    } else {
      out += c;
    }
  }
  if (text.size() > kMaxPathBytes) out += "...";
  return out;
}

std::string utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm t{};
  gmtime_r(&seconds, &t);
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900, t.tm_mon + 1,
                t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
  return text;
}

}  // namespace

std::string access_log_line(const HttpRecord& record, std::chrono::system_clock::time_point time) {
  // In tenths, because the decimal point of printf depends on the locale.
  const auto tenths = static_cast<long long>(record.ms * 10.0 + 0.5);
  std::string line = utc(time) + ' ' + word(record.peer) + ' ' + word(record.method) + ' ' +
                     word(record.path) + ' ';
  line += record.status == 0 ? "-" : std::to_string(record.status);
  line += ' ' + std::to_string(record.response_bytes) + ' ' + std::to_string(tenths / 10) + '.' +
          std::to_string(tenths % 10);
  if (!record.is_complete) line += " cut";
  if (!record.why_cut.empty()) line += ": " + record.why_cut;
  return line;
}

}  // namespace quire
