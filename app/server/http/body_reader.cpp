#include "app/server/http/body_reader.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

constexpr size_t kMaxChunkLineBytes = 256;

/// The size before a chunk's extensions, which are checked and ignored. None: it is malformed.
std::optional<uint64_t> parse_chunk_size(std::string_view line) {
  constexpr size_t kMaxDigits = 15;  // Below 2^60.
  const size_t digits = std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  const std::string_view extensions = line.substr(digits);
  if (digits == 0 || digits > kMaxDigits) return {};
  if (!extensions.empty() && extensions[0] != ';') return {};
  if (!is_field_value(extensions)) return {};
  uint64_t size = 0;
  for (const char c : line.substr(0, digits)) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    size = size << 4 | static_cast<uint64_t>(digit);
  }
  return size;
}

}  // namespace

BodyReader::BodyReader(const BodyFraming& framing, const RequestLimits& limits)
    : m_limits(limits), m_left_bytes(framing.length) {
  if (framing.is_chunked) {
    m_state = State::kChunkSize;
  } else if (framing.length > 0) {
    m_state = State::kLength;
  }
  if (framing.length > limits.max_body_bytes) {
    fail_too_large("has " + std::to_string(framing.length) + " bytes");
  }
}

size_t BodyReader::feed(std::string_view bytes, std::string& body) {
  size_t used = 0;
  while (used < bytes.size() && !has_ended() && !m_failure) {
    const std::string_view rest = bytes.substr(used);
    const bool is_data = m_state == State::kLength || m_state == State::kChunkData;
    used += is_data ? read_data(rest, body) : read_line(rest, body.size());
  }
  return used;
}

size_t BodyReader::read_data(std::string_view bytes, std::string& body) {
  const size_t used = static_cast<size_t>(std::min<uint64_t>(bytes.size(), m_left_bytes));
  body += bytes.substr(0, used);
  m_left_bytes -= used;
  if (m_left_bytes == 0) m_state = m_state == State::kLength ? State::kEnded : State::kChunkEnd;
  return used;
}

size_t BodyReader::max_line_bytes() const {
  if (m_state == State::kTrailers) return m_limits.max_header_bytes - m_trailer_bytes;
  return m_state == State::kChunkEnd ? 2 : kMaxChunkLineBytes;
}

size_t BodyReader::read_line(std::string_view bytes, size_t body_bytes) {
  const size_t used = m_line.feed(bytes, max_line_bytes());
  const LineReader::State state = m_line.state();
  if (state == LineReader::State::kIncomplete) return used;
  const bool is_too_long = state == LineReader::State::kTooLong;
  if (is_too_long && m_state == State::kTrailers) {
    fail(431, "The fields after the request's body are too long.");
  } else if (state != LineReader::State::kComplete) {
    fail(400, "The request's body has a malformed chunk.");
  } else if (m_state == State::kChunkSize) {
    begin_chunk(m_line.line(), body_bytes);
  } else if (m_state == State::kChunkEnd) {
    m_state = State::kChunkSize;  // Two bytes that end a line are CR LF.
  } else {
    read_trailer(m_line.line());
  }
  m_line.clear();
  return used;
}

void BodyReader::begin_chunk(std::string_view line, size_t body_bytes) {
  const auto size = parse_chunk_size(line);
  if (!size) return fail(400, "The request's body has a malformed chunk.");
  if (*size > m_limits.max_body_bytes - body_bytes) return fail_too_large("has too many bytes");
  m_left_bytes = *size;
  m_state = *size == 0 ? State::kTrailers : State::kChunkData;
}

void BodyReader::read_trailer(std::string_view line) {
  m_trailer_bytes += line.size() + 2;
  if (line.empty()) {
    m_state = State::kEnded;
    return;
  }
  HttpFields dropped;
  if (auto failure = parse_field(line, dropped)) m_failure = std::move(failure);
}

void BodyReader::fail(int status, std::string message) {
  m_failure = HttpFailure{status, std::move(message)};
}

void BodyReader::fail_too_large(std::string_view how) {
  const std::string limit = std::to_string(m_limits.max_body_bytes);
  fail(413, "The request's body " + std::string(how) + "; at most " + limit + " are accepted.");
}

}  // namespace quire
