#include "app/cli/load/http_posts.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <utility>

namespace quire {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::uint64_t kMaxBodyBytes = std::uint64_t{64} << 20;
constexpr std::uint32_t kMaxHeaderBytes = 64 << 10;

using Request = http::request<http::string_body>;

/// One request on a connection of its own. Kept alive by the operation that is under way.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(asio::io_context& context, Request request, std::shared_ptr<ResponseSink> sink)
      : m_stream(context), m_request(std::move(request)), m_sink(std::move(sink)) {
    m_parser.body_limit(kMaxBodyBytes);
    m_parser.header_limit(kMaxHeaderBytes);
    m_parser.eager(true);
  }

  void start(const tcp::resolver::results_type& addresses, std::chrono::seconds timeout) {
    m_stream.expires_after(timeout);
    m_stream.async_connect(addresses, [self = shared_from_this()](error_code error, const auto&) {
      self->connected(error);
    });
  }

 private:
  void connected(error_code error) {
    if (error) return end("cannot connect: " + error.message());
    error_code ignored;
    m_stream.socket().set_option(tcp::no_delay(true), ignored);
    http::async_write(m_stream, m_request, [self = shared_from_this()](error_code failed, size_t) {
      if (failed) return self->end("cannot send the request: " + failed.message());
      self->read();
    });
  }

  void read() {
    const auto handle = [self = shared_from_this()](error_code error, size_t) {
      self->received(error);
    };
    if (m_parser.is_header_done()) {
      http::async_read_some(m_stream, m_buffer, m_parser, handle);
    } else {
      http::async_read_header(m_stream, m_buffer, m_parser, handle);
    }
  }

  void received(error_code error) {
    if (!m_told_status && m_parser.is_header_done()) {
      m_told_status = true;
      m_sink->status(static_cast<int>(m_parser.get().result_int()));
    }
    // The parser appends; what was passed on is taken out, so that a stream takes no memory.
    std::string piece;
    piece.swap(m_parser.get().body());
    const bool goes_on = piece.empty() || m_sink->body(piece);
    if (!goes_on || m_parser.is_done()) return end({});
    if (error) return end("the response broke off: " + error.message());
    read();
  }

  void end(const std::string& error) {
    error_code ignored;
    m_stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
    m_stream.close();
    m_sink->ended(error);
  }

  beast::tcp_stream m_stream;
  beast::flat_buffer m_buffer;
  const Request m_request;
  http::response_parser<http::string_body> m_parser;
  const std::shared_ptr<ResponseSink> m_sink;
  bool m_told_status = false;
};

}  // namespace

struct HttpPosts::State {
  Options options;
  asio::io_context context{1};
  tcp::resolver::results_type addresses;
};

HttpPosts::HttpPosts(std::unique_ptr<State> state) : m_state(std::move(state)) {}
HttpPosts::~HttpPosts() = default;

Result<std::unique_ptr<HttpPosts>> HttpPosts::open(const Options& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  error_code error;
  tcp::resolver resolver(state->context);
  state->addresses = resolver.resolve(options.url.host, options.url.port, error);
  if (error) {
    return Error{ErrorCode::kNotFound,
                 "The host " + options.url.host + " is not known: " + error.message() + "."};
  }
  return std::unique_ptr<HttpPosts>(new HttpPosts(std::move(state)));
}

void HttpPosts::send(const std::string& path, std::string body,
                     std::shared_ptr<ResponseSink> sink) {
  const Options& options = m_state->options;
  Request request(body.empty() ? http::verb::get : http::verb::post, options.url.base + path, 11);
  request.set(http::field::host, options.url.authority());
  request.set(http::field::user_agent, "quire-cli");
  request.set(http::field::connection, "close");
  if (!options.api_key.empty()) {
    request.set(http::field::authorization, "Bearer " + options.api_key);
  }
  if (!body.empty()) {
    request.set(http::field::content_type, "application/json");
    request.body() = std::move(body);
    request.prepare_payload();
  }
  std::make_shared<Exchange>(m_state->context, std::move(request), std::move(sink))
      ->start(m_state->addresses, options.timeout);
}

void HttpPosts::after(double seconds, std::function<void()> work) {
  const auto wait = std::chrono::duration<double>(seconds);
  auto timer = std::make_shared<asio::steady_timer>(
      m_state->context, std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait));
  timer->async_wait([timer, work = std::move(work)](error_code) { work(); });
}

void HttpPosts::run() {
  m_state->context.run();
  m_state->context.restart();
}

}  // namespace quire
