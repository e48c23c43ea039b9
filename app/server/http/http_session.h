#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "app/server/http/byte_budget.h"
#include "app/server/http/http_core.h"
#include "app/server/http/output_buffer.h"
#include "app/server/http/request_parser.h"
#include "app/server/http/response_queue.h"

namespace quire {

/// One connection: reads a request, hands it to the handler, sends the response, and again.
///
/// Each phase has a deadline, except for the time in which a response is computed. While it is
/// computed, one read is pending, which notices that the client has gone; requests that arrive in
/// the meantime wait in the input, up to the length of a header, and then in the system's buffers.
///
/// Thread: the server's.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  HttpSession(Socket socket, HttpCore& core);
  void start();
  /// Answers 503 and closes: there are too many connections.
  void start_refused();
  /// A response is computed or sent.
  bool is_answering() const { return m_phase == Phase::kAnswering; }
  /// It takes a place that a client with a right to be served may need more: its latest request was
  /// refused, or none was let through for some time (HttpLimits::fresh_time).
  bool may_give_way() const;
  /// Of the server's connections, in the order in which they came.
  uint64_t number() const { return m_number; }
  /// Ends the connection now; the response's on_closed function is called. `why` is for the log, if
  /// a response is cut; empty: the client has gone.
  void close(std::string why = {});

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase {
    kIdle,       ///< No byte of a request has arrived.
    kReading,    ///< Its header or body arrives.
    kAnswering,  ///< Its response is computed and sent.
    kLingering,  ///< All is sent; what the client still sends is dropped, so that it can read.
    kClosed,
  };

  // http_session.cpp: reading.
  void read();
  void on_read(boost::system::error_code error, size_t bytes);
  void on_end_of_input();
  void process_input();
  void on_header();
  void hand_over();
  void call_handler();
  void refuse(int status, std::string_view message);
  void refuse(HttpResponse response, std::chrono::milliseconds delay = {});
  void hold_back(std::chrono::milliseconds delay);
  void next_request();

  // http_session_output.cpp: writing and deadlines.
  void take_response();
  void limit_response(HttpResponse& response);
  void send_head(HttpResponse response, bool is_streamed);
  void write();
  void on_written(boost::system::error_code error, size_t bytes);
  void finish_response();
  void linger();
  void report(bool is_complete);
  void set_deadline(std::chrono::milliseconds time);
  void clear_deadline();
  void on_deadline();

  Socket m_socket;
  HttpCore& m_core;
  const uint64_t m_number;
  std::string m_peer;
  std::string m_network;  ///< The client's address; of IPv6 only the half that is the network.
  bool m_is_loopback = false;
  /// What the connection counts as.
  enum class Place {
    kConnection,
    kRefused,
    kHeld,
    kLeaving,  ///< Nothing: its refusal was held back, and the connection ends with it.
  } m_place = Place::kConnection;
  bool m_is_trusted = false;  ///< The gate has let the latest request but preflights through.

  Phase m_phase = Phase::kIdle;
  boost::asio::steady_timer m_timer;
  const Clock::time_point m_begin = Clock::now();
  uint64_t m_deadline = 0;  ///< A number that changes with each deadline.

  std::array<char, 16 << 10> m_read_buffer;
  std::string m_input;  ///< What has been read and not been used.
  bool m_is_reading = false;
  bool m_has_input_ended = false;
  std::optional<RequestParser> m_parser;
  bool m_has_header = false;
  ByteShare m_body_share;
  ByteShare m_response_share;
  HttpFields m_more_fields;  ///< HttpVerdict::fields
  Clock::time_point m_request_begin;

  std::shared_ptr<ResponseQueue> m_queue;  ///< Of the response that is computed.
  OutputBuffer m_output;
  bool m_is_writing = false;
  bool m_has_response_ended = false;
  bool m_keeps_alive = false;
  bool m_is_held_back = false;  ///< HttpVerdict::delay
  std::optional<Clock::time_point> m_drained_by;
  HttpRecord m_record;
};

}  // namespace quire
