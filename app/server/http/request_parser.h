#pragma once

#include <optional>
#include <string_view>

#include "app/server/http/body_framing.h"
#include "app/server/http/body_reader.h"
#include "app/server/http/http_message.h"
#include "app/server/http/line_reader.h"

namespace quire {

/// Makes one request of bytes that arrive in pieces, however they are cut. It is our own because
/// Beast's joins folded lines, adds trailers to the header, and takes a request with an unknown
/// Transfer-Encoding for one without a body; and it differs between Boost's versions.
/// Thread: one.
class RequestParser {
 public:
  enum class State { kHeader, kBody, kComplete, kFailed };

  explicit RequestParser(const RequestLimits& limits) : m_limits(limits) {}

  /// Uses bytes up to the end of the header, then up to the end of the request, and returns how
  /// many they were. Nothing is used once the request is complete or has failed.
  size_t feed(std::string_view bytes);

  State state() const { return m_state; }
  /// A byte of the request has arrived.
  bool has_begun() const { return m_has_begun; }
  /// Of kFailed. Where the next request would begin is not known.
  const HttpFailure& failure() const { return *m_failure; }

  /// Complete in kComplete, its header in kBody. As far as it could be read in kFailed.
  HttpRequest& request() { return m_request; }
  const BodyFraming& framing() const { return m_framing; }
  int minor_version() const { return m_minor_version; }

  static constexpr size_t kMaxFields = 100;

 private:
  size_t feed_header(std::string_view bytes);
  size_t max_line_bytes() const;
  void take_line(std::string_view line);
  void begin(std::string_view line);
  void end_header();
  void fail(HttpFailure failure);

  const RequestLimits m_limits;
  State m_state = State::kHeader;
  bool m_has_first_line = false;
  bool m_had_empty_line = false;
  int m_minor_version = 1;
  bool m_has_begun = false;
  size_t m_header_bytes = 0;  ///< Of whole lines.
  LineReader m_line;
  BodyFraming m_framing;
  BodyReader m_body;
  HttpRequest m_request;
  std::optional<HttpFailure> m_failure;
};

}  // namespace quire
