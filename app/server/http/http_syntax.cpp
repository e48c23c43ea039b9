#include "app/server/http/http_syntax.h"

#include <algorithm>

#include "kernels/base/visible_text.h"

namespace quire {
namespace {

// The C library's functions depend on the locale.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token_char(char c) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return is_alphanumeric(c) || kSigns.find(c) != kSigns.npos;
}

bool is_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7F);
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_value_char);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool list_contains(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (equal_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::optional<std::string> decoded_path(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      out += path[i];
      continue;
    }
    if (i + 2 >= path.size()) return {};
    const int high = hex_digit(path[i + 1]);
    const int low = hex_digit(path[i + 2]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  if (visible_text(out) != out) return {};
  return out;
}

std::optional<std::string_view> host_without_port(std::string_view host) {
  const bool is_bracketed = host.starts_with('[');
  const size_t end = is_bracketed ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == host.npos) return {};
  std::string_view port = host.substr(is_bracketed ? end + 1 : end);
  if (port.starts_with(':')) {
    port.remove_prefix(1);
  } else if (!port.empty()) {
    return {};
  }
  const std::string_view name = is_bracketed ? host.substr(1, end - 1) : host.substr(0, end);
  const std::string_view signs = is_bracketed ? ":." : "-._";
  const bool is_name = std::all_of(name.begin(), name.end(), [signs](char c) {
    return is_alphanumeric(c) || signs.find(c) != signs.npos;
  });
  if (name.empty() || !is_name || !is_port(port)) return {};
  return name;
}

std::string_view reason_phrase(int status) {
  struct Reason {
    int status;
    std::string_view phrase;
  };
  constexpr Reason kReasons[] = {{200, "OK"},
                                 {201, "Created"},
                                 {202, "Accepted"},
                                 {204, "No Content"},
                                 {400, "Bad Request"},
                                 {401, "Unauthorized"},
                                 {403, "Forbidden"},
                                 {404, "Not Found"},
                                 {405, "Method Not Allowed"},
                                 {408, "Request Timeout"},
                                 {409, "Conflict"},
                                 {411, "Length Required"},
                                 {413, "Content Too Large"},
                                 {414, "URI Too Long"},
                                 {415, "Unsupported Media Type"},
                                 {417, "Expectation Failed"},
                                 {422, "Unprocessable Content"},
                                 {429, "Too Many Requests"},
                                 {431, "Request Header Fields Too Large"},
                                 {499, "Client Closed Request"},
                                 {500, "Internal Server Error"},
                                 {501, "Not Implemented"},
                                 {502, "Bad Gateway"},
                                 {503, "Service Unavailable"},
                                 {504, "Gateway Timeout"},
                                 {505, "HTTP Version Not Supported"}};
  for (const Reason& reason : kReasons) {
    if (reason.status == status) return reason.phrase;
  }
  return {};
}

}  // namespace quire
