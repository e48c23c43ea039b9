#include "app/server/http/request_parser.h"

#include <algorithm>
#include <utility>

#include "app/server/http/request_line.h"

namespace quire {

size_t RequestParser::feed(std::string_view bytes) {
  if (m_state == State::kHeader) return feed_header(bytes);
  if (m_state != State::kBody) return 0;
  const size_t used = m_body.feed(bytes, m_request.body);
  if (m_body.failure()) {
    fail(*m_body.failure());
  } else if (m_body.has_ended()) {
    m_state = State::kComplete;
  }
  return used;
}

size_t RequestParser::feed_header(std::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size() && m_state == State::kHeader) {
    // What is no HTTP, such as the beginning of TLS, need not have lines.
    if (!has_begun() && bytes[0] != '\r' && !is_token(bytes.substr(0, 1))) {
      fail({400, "This is not a request of HTTP/1.1."});
      return used;
    }
    m_has_begun = true;
    used += m_line.feed(bytes.substr(used), max_line_bytes());
    if (m_line.state() == LineReader::State::kIncomplete) break;
    if (m_line.state() == LineReader::State::kComplete) {
      take_line(m_line.line());
      m_line.clear();
    } else if (m_line.state() == LineReader::State::kBroken) {
      fail({400, "A line of the request's header does not end with CR LF."});
    } else if (!m_has_first_line) {
      fail({414, "The request's target is too long."});
    } else {
      fail({431, "The request's header has more than " + std::to_string(m_limits.max_header_bytes) +
                     " bytes."});
    }
  }
  return used;
}

size_t RequestParser::max_line_bytes() const {
  const size_t left = m_limits.max_header_bytes - m_header_bytes;
  return m_has_first_line ? left : std::min(left, kMaxRequestLineBytes);
}

void RequestParser::take_line(std::string_view line) {
  m_header_bytes += line.size() + 2;
  if (!m_has_first_line) return begin(line);
  if (line.empty()) return end_header();
  if (m_request.fields.size() == kMaxFields) {
    return fail(
        {431, "The request's header has more than " + std::to_string(kMaxFields) + " fields."});
  }
  if (auto failure = parse_field(line, m_request.fields)) fail(std::move(*failure));
}

void RequestParser::begin(std::string_view line) {
  // Old clients send an empty line after a body.
  if (line.empty() && !std::exchange(m_had_empty_line, true)) return;
  RequestLine first;
  auto failure = parse_request_line(line, first);
  m_request.method = std::move(first.method);
  m_request.path = std::move(first.path);
  m_request.query = std::move(first.query);
  m_minor_version = first.minor_version;
  m_has_first_line = true;
  if (failure) fail(std::move(*failure));
}

void RequestParser::end_header() {
  if (auto failure = read_framing(m_request.fields, m_minor_version, m_framing)) {
    return fail(std::move(*failure));
  }
  m_body = BodyReader(m_framing, m_limits);
  if (m_body.failure()) return fail(*m_body.failure());
  m_state = m_framing.has_body() ? State::kBody : State::kComplete;
}

void RequestParser::fail(HttpFailure failure) {
  m_failure = std::move(failure);
  m_state = State::kFailed;
}

}  // namespace quire
