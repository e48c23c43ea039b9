#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/server/http/http_message.h"
#include "kernels/base/result.h"

namespace quire {

/// Bounds on what a client may take of the server. Exceeding one ends its connection, with a
/// response if none has begun.
struct HttpLimits {
  int max_connections = 512;
  int max_held_back = 512;  ///< Whose refusal is held back (HttpVerdict::delay), beside the others.
  size_t max_header_bytes = 16 << 10;
  size_t max_body_bytes = 16 << 20;
  size_t max_all_bodies_bytes = 256 << 20;  ///< Of all requests that are being read or answered.
  /// Of all whole responses that have not been sent; small ones do not count, and one alone may be
  /// larger.
  size_t max_all_responses_bytes = 256 << 20;
  /// When all connections are taken, one without an allowed request is closed for a new one, unless
  /// it is newer than this: many clients that come at once are answered 503 instead.
  std::chrono::milliseconds fresh_time{100};
  std::chrono::milliseconds header_time{10'000};  ///< For a whole header, however it is sent.
  std::chrono::milliseconds body_time{60'000};    ///< For a whole body.
  std::chrono::milliseconds idle_time{60'000};    ///< Between two requests of a connection.
  std::chrono::milliseconds write_time{30'000};   ///< Without any progress of a response.
  std::chrono::milliseconds drain_time{
      300'000};                                  ///< From a response's end until all of it is sent.
  std::chrono::milliseconds linger_time{2'000};  ///< For what a refused client still sends.
  size_t max_queued_bytes = 4 << 20;             ///< Of a response that the client does not read.
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";  ///< An address, or a name of this machine.
  uint16_t port = 8000;            ///< 0: any free one.
  HttpLimits limits = {};
  /// Called with each request's header; its body is empty. None: all are let through.
  std::function<HttpVerdict(const HttpRequest&)> gate = {};
  std::function<void(const HttpRecord&)> on_response_ended = {};
};

/// An HTTP/1.1 server on a thread of its own.
/// Thread: any; the handler, the gate and on_response_ended are called on the server's thread and
/// must not block. What a handler throws is answered 500.
/// Invariants: the handler is called only for complete requests that keep the limits; a malformed
/// or ambiguous request (two lengths, a length beside chunks) is answered 400 and its connection
/// closed. The destructor closes all connections; their on_closed functions are called before it
/// returns.
class HttpServer {
 public:
  using Handler = std::function<void(std::shared_ptr<HttpExchange>)>;

  /// Listens. Errors: kIo with the address and port ("Port 8000 of 127.0.0.1 is in use. ...").
  static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options,
                                                   Handler handler);
  ~HttpServer();

  /// Accepts no more connections and returns when all responses that are being sent have been, or
  /// after this time. Thread: not the server's.
  void finish(std::chrono::milliseconds time);

  uint16_t port() const;
  int num_connections() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace quire
