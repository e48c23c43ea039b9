#include "app/server/http/http_session.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>

#include "app/server/http/queued_exchange.h"

namespace quire {

namespace asio = boost::asio;

namespace {

/// The system tells of progress when a third of its buffer is free: with its own choice, up to 4
/// MB, a slow client would seem to read nothing for a long time.
constexpr int kSendBufferBytes = 128 << 10;

/// Of an allowed preflight request, which has no key.
constexpr int kNoContent = 204;

/// An IPv4 client of a socket for both versions has an address of version 6 that stands for its
/// own.
asio::ip::tcp::endpoint plain(const asio::ip::tcp::endpoint& endpoint) {
  const asio::ip::address address = endpoint.address();
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return endpoint;
  return {asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()), endpoint.port()};
}

/// The address; of IPv6 only the network, because a client may choose the second half at will.
std::string network_of(const asio::ip::address& address) {
  if (!address.is_v6()) return address.to_string();
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), 0);
  return asio::ip::make_address_v6(bytes).to_string();
}

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  const std::string host = endpoint.address().is_v6() ? "[" + address + "]" : address;
  return host + ":" + std::to_string(endpoint.port());
}

}  // namespace

HttpSession::HttpSession(Socket socket, HttpCore& core)
    : m_socket(std::move(socket)),
      m_core(core),
      m_number(core.num_accepted++),
      m_timer(m_socket.get_executor()) {
  boost::system::error_code unknown, ignored;
  const auto peer = plain(m_socket.remote_endpoint(unknown));
  m_peer = text_of(peer);
  m_network = network_of(peer.address());
  m_is_loopback = !unknown && peer.address().is_loopback();
  m_socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  m_socket.set_option(asio::socket_base::keep_alive(true), ignored);
  m_socket.set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), ignored);
}

void HttpSession::start() {
  m_core.num_connections += 1;
  m_parser.emplace(
      RequestLimits{m_core.options.limits.max_header_bytes, m_core.options.limits.max_body_bytes});
  set_deadline(m_core.options.limits.header_time);
  read();
}

void HttpSession::start_refused() {
  m_place = Place::kRefused;
  m_core.num_refused += 1;
  m_request_begin = Clock::now();
  refuse(503, "The server has too many connections; try again in a second.");
}

bool HttpSession::may_give_way() const {
  if (m_place != Place::kConnection || m_is_trusted) return false;
  if (m_is_held_back || m_phase == Phase::kLingering) return true;
  return !is_answering() && Clock::now() - m_begin >= m_core.options.limits.fresh_time;
}

void HttpSession::read() {
  const bool waits =
      m_phase == Phase::kAnswering && m_input.size() >= m_core.options.limits.max_header_bytes;
  if (m_is_reading || m_has_input_ended || waits || m_phase == Phase::kClosed) return;
  m_is_reading = true;
  m_socket.async_read_some(
      asio::buffer(m_read_buffer),
      [self = shared_from_this()](boost::system::error_code error, size_t bytes) {
        self->on_read(error, bytes);
      });
}

void HttpSession::on_read(boost::system::error_code error, size_t bytes) {
  m_is_reading = false;
  if (m_phase == Phase::kClosed) return;
  if (error == asio::error::eof) return on_end_of_input();
  if (error) return close();
  if (m_phase != Phase::kLingering) {
    m_input.append(m_read_buffer.data(), bytes);
    process_input();
  }
  read();
}

void HttpSession::on_end_of_input() {
  m_has_input_ended = true;
  if (m_phase == Phase::kReading) {
    return refuse(400, "The request ends before it is complete.");
  }
  if (m_phase == Phase::kAnswering) take_response();  // It may have ended already.
  if (m_phase == Phase::kAnswering && m_has_response_ended) return;
  close();
}

void HttpSession::process_input() {
  size_t used = 0;
  while (used < m_input.size() && (m_phase == Phase::kIdle || m_phase == Phase::kReading)) {
    if (m_phase == Phase::kIdle) {
      m_phase = Phase::kReading;
      m_request_begin = Clock::now();
      set_deadline(m_core.options.limits.header_time);
    }
    used += m_parser->feed(std::string_view(m_input).substr(used));
    if (m_parser->state() == RequestParser::State::kFailed) {
      const HttpFailure& failure = m_parser->failure();
      refuse(failure.status, failure.message);
    } else if (m_parser->state() != RequestParser::State::kHeader) {
      on_header();
    }
  }
  m_input.erase(0, used);
}

/// The header is complete, and more of the body has arrived.
void HttpSession::on_header() {
  HttpRequest& request = m_parser->request();
  if (!std::exchange(m_has_header, true)) {
    request.peer = m_peer;
    request.is_loopback = m_is_loopback;
    if (!m_is_trusted && m_core.held.is_full_for(m_network)) {
      return refuse(429, "Too many wrong keys came from this address; try again in a second.");
    }
    HttpVerdict verdict;
    if (m_core.options.gate) verdict = m_core.options.gate(request);
    const bool is_preflight = verdict.answer && verdict.answer->status == kNoContent;
    if (!is_preflight) m_is_trusted = !verdict.answer;
    m_more_fields = std::move(verdict.fields);
    m_body_share = ByteShare(m_core.bodies);
    if (verdict.answer) return refuse(std::move(*verdict.answer), verdict.delay);
    if (!m_core.bodies->fits(m_parser->framing().length)) {
      return refuse(503, "The server reads too many large requests now.");
    }
    set_deadline(m_core.options.limits.body_time);
    const bool waits = m_parser->state() == RequestParser::State::kBody;
    if (waits && m_parser->framing().expects_continue) {
      m_output.add_continue();
      write();
    }
  }
  if (!m_body_share.grow_to(request.body.size())) {
    return refuse(503, "The server reads too many large requests now.");
  }
  if (m_parser->state() == RequestParser::State::kComplete) hand_over();
}

void HttpSession::hand_over() {
  m_phase = Phase::kAnswering;
  m_has_response_ended = false;
  m_keeps_alive = m_parser->framing().keeps_alive;
  m_response_share = ByteShare(m_core.responses);
  clear_deadline();
  call_handler();
  if (m_has_input_ended) on_end_of_input();
}

void HttpSession::call_handler() {
  HttpRequest& request = m_parser->request();
  m_record.method = request.method;
  m_record.path = request.path;
  m_queue = std::make_shared<ResponseQueue>(
      m_core.mailbox,
      [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->take_response();
      },
      m_core.options.limits.max_queued_bytes);
  const auto exchange =
      std::make_shared<QueuedExchange>(std::move(request), std::move(m_body_share), m_queue);
  try {
    m_core.handler(exchange);
  } catch (...) {
    m_queue->abandon(500, "The server could not handle the request.", m_record.path);
  }
}

/// In the shape of the API that the path is of, as far as it has been read.
void HttpSession::refuse(int status, std::string_view message) {
  refuse(error_response(status, message, m_parser ? m_parser->request().path : std::string()));
}

/// Answers a request that no handler sees, and closes the connection unless all of the request has
/// been read, so that it is known where the next one begins, and its client has a right to ask: one
/// without a key would keep a place for the time between two requests.
void HttpSession::refuse(HttpResponse response, std::chrono::milliseconds delay) {
  if (m_parser) {
    m_record.method = m_parser->request().method;
    m_record.path = m_parser->request().path;
  }
  const bool is_whole = m_parser && m_parser->state() == RequestParser::State::kComplete;
  const bool is_preflight = response.status == kNoContent;
  m_keeps_alive = is_whole && m_parser->framing().keeps_alive && (m_is_trusted || is_preflight);
  m_phase = Phase::kAnswering;
  m_body_share = {};
  clear_deadline();
  send_head(std::move(response), false);
  m_has_response_ended = true;
  if (delay.count() > 0) return hold_back(delay);
  write();
}

/// Sends the response later. From now on the connection, which ends with it, does not count towards
/// the limit, unless too many are held back.
void HttpSession::hold_back(std::chrono::milliseconds delay) {
  if (m_place == Place::kConnection &&
      m_core.held.try_add(m_network, m_core.options.limits.max_held_back)) {
    m_place = Place::kHeld;
    --m_core.num_connections;
  }
  m_is_held_back = true;
  set_deadline(delay);
}

void HttpSession::next_request() {
  m_phase = Phase::kIdle;
  m_has_header = false;
  m_more_fields.clear();
  m_parser.emplace(
      RequestLimits{m_core.options.limits.max_header_bytes, m_core.options.limits.max_body_bytes});
  set_deadline(m_core.options.limits.idle_time);
  process_input();
  if (m_has_input_ended && m_phase == Phase::kIdle) return close();
  if (m_has_input_ended && m_phase == Phase::kReading) return on_end_of_input();
  read();
}

void HttpSession::close(std::string why) {
  const Phase ended = std::exchange(m_phase, Phase::kClosed);
  if (ended == Phase::kClosed) return;
  const auto self = shared_from_this();
  boost::system::error_code ignored;
  clear_deadline();
  m_response_share = {};
  m_socket.close(ignored);
  m_core.sessions.erase(self);
  if (m_place == Place::kRefused) --m_core.num_refused;
  if (m_place == Place::kConnection) --m_core.num_connections;
  if (m_place == Place::kHeld) m_core.held.remove(m_network);
  const std::function<void()> closed = m_queue ? m_queue->close() : nullptr;
  m_record.why_cut = std::move(why);
  if (ended == Phase::kAnswering) report(false);
  if (closed) closed();
}

}  // namespace quire
