#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "app/server/http/http_session.h"

namespace quire {

using std::chrono::milliseconds;

/// Whole responses up to this size are sent whatever the others take: those of all connections
/// together are small.
constexpr size_t kSmallResponseBytes = 64 << 10;

void HttpSession::take_response() {
  if (m_phase != Phase::kAnswering || !m_queue) return;
  ResponseQueue::Taken taken = m_queue->take();
  if (taken.is_cut) return close(std::move(taken.why_cut));
  if (taken.head && !taken.is_streamed) limit_response(*taken.head);
  if (taken.head) send_head(std::move(*taken.head), taken.is_streamed);
  for (std::string& part : taken.parts) m_output.add_part(std::move(part));
  if (taken.has_ended) {
    m_output.add_end();
    m_has_response_ended = true;
    m_drained_by = Clock::now() + m_core.options.limits.drain_time;
  }
  write();
}

/// Counts a whole response until it is sent. If clients leave too much unread, it becomes an error,
/// though one that exceeds the limit alone is sent when nothing else is unread.
void HttpSession::limit_response(HttpResponse& response) {
  const size_t bytes = response.body.size();
  if (bytes <= kSmallResponseBytes || m_response_share.grow_to(bytes, /*may_be_alone=*/true)) {
    return;
  }
  response = error_response(
      503, "The server holds too many responses that are not read; try again in a second.",
      m_record.path);
}

void HttpSession::send_head(HttpResponse response, bool is_streamed) {
  ResponseFraming framing;
  if (m_parser) framing.minor_version = m_parser->minor_version();
  framing.is_chunked = is_streamed && framing.minor_version > 0;
  if (!is_streamed) framing.length = response.body.size();
  // In HTTP/1.0 a stream ends with its connection.
  if (is_streamed && !framing.is_chunked) m_keeps_alive = false;
  framing.keeps_alive = m_keeps_alive;
  m_record.status = response.status;
  m_output.add_response(std::move(response), m_more_fields, framing, m_record.method == "HEAD");
}

void HttpSession::write() {
  if (m_is_writing || m_is_held_back || m_output.is_empty() || m_phase == Phase::kClosed) return;
  m_is_writing = true;
  if (m_phase == Phase::kAnswering) {
    milliseconds time = m_core.options.limits.write_time;
    if (m_drained_by) {
      const auto left = std::chrono::duration_cast<milliseconds>(*m_drained_by - Clock::now());
      time = std::clamp(left, milliseconds(0), time);
    }
    set_deadline(time);
  }
  std::vector<boost::asio::const_buffer> buffers;
  for (const std::string_view piece : m_output.next()) {
    buffers.emplace_back(piece.data(), piece.size());
  }
  m_socket.async_write_some(
      buffers, [self = shared_from_this()](boost::system::error_code error, size_t bytes) {
        self->on_written(error, bytes);
      });
}

void HttpSession::on_written(boost::system::error_code error, size_t bytes) {
  m_is_writing = false;
  if (m_phase == Phase::kClosed) return;
  if (error) return close();
  const size_t cost = m_output.remove(bytes);
  if (m_queue) m_queue->release(cost);
  if (!m_output.is_empty()) return write();
  if (m_phase != Phase::kAnswering) return;
  clear_deadline();
  if (m_has_response_ended) finish_response();
}

void HttpSession::finish_response() {
  report(true);
  m_queue.reset();
  m_response_share = {};
  m_drained_by.reset();
  if (m_keeps_alive) return next_request();
  m_phase = Phase::kLingering;  // The response has been reported.
  if (m_has_input_ended) return close();
  linger();
}

/// Closing a connection whose input has not been read would make the system drop the response.
void HttpSession::linger() {
  m_input.clear();
  boost::system::error_code ignored;
  m_socket.shutdown(Socket::shutdown_send, ignored);
  set_deadline(m_core.options.limits.linger_time);
  read();
}

void HttpSession::report(bool is_complete) {
  HttpRecord record = std::exchange(m_record, {});
  if (!m_core.options.on_response_ended) return;
  record.peer = m_peer;
  record.response_bytes = m_output.sent_body_bytes();
  record.ms = std::chrono::duration<double, std::milli>(Clock::now() - m_request_begin).count();
  record.is_complete = is_complete;
  m_core.options.on_response_ended(record);
}

void HttpSession::set_deadline(milliseconds time) {
  const uint64_t deadline = ++m_deadline;
  m_timer.expires_after(time);
  m_timer.async_wait([self = shared_from_this(), deadline](boost::system::error_code error) {
    if (!error && deadline == self->m_deadline) self->on_deadline();
  });
}

void HttpSession::clear_deadline() {
  ++m_deadline;
  m_timer.cancel();
}

void HttpSession::on_deadline() {
  if (m_phase == Phase::kReading) {
    refuse(408, "The request did not arrive in time.");
  } else if (std::exchange(m_is_held_back, false)) {
    // Before the client sees the answer: from then on its address is served again.
    if (m_place == Place::kHeld) {
      m_core.held.remove(m_network);
      m_place = Place::kLeaving;
    }
    write();
  } else {
    close("the client did not read it in time");
  }
}

}  // namespace quire
