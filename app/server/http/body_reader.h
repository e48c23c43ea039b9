#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/server/http/body_framing.h"
#include "app/server/http/line_reader.h"

namespace quire {

/// Bounds on one request, of HttpLimits.
struct RequestLimits {
  size_t max_header_bytes = 0;
  size_t max_body_bytes = 0;
};

/// Reads a body of known length, or in chunks. What follows the chunks (trailers) is checked and
/// dropped: it may not add to the header that was decided upon.
class BodyReader {
 public:
  BodyReader() = default;
  /// Errors, in failure(): 413 for a length beyond the limit.
  BodyReader(const BodyFraming& framing, const RequestLimits& limits);

  /// Appends to `body` and returns how many bytes it used: all, unless the body has ended.
  /// Errors, in failure(): 400, 413.
  size_t feed(std::string_view bytes, std::string& body);
  bool has_ended() const { return m_state == State::kEnded; }
  const std::optional<HttpFailure>& failure() const { return m_failure; }

 private:
  enum class State { kLength, kChunkSize, kChunkData, kChunkEnd, kTrailers, kEnded };

  size_t read_data(std::string_view bytes, std::string& body);
  size_t read_line(std::string_view bytes, size_t body_bytes);
  void begin_chunk(std::string_view line, size_t body_bytes);
  void read_trailer(std::string_view line);
  void fail(int status, std::string message);
  void fail_too_large(std::string_view how);
  size_t max_line_bytes() const;

  RequestLimits m_limits;
  State m_state = State::kEnded;
  uint64_t m_left_bytes = 0;  ///< Of the body or of the chunk.
  size_t m_trailer_bytes = 0;
  LineReader m_line;
  std::optional<HttpFailure> m_failure;
};

}  // namespace quire
