#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quire {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

/// A request as it arrived, within the server's limits.
struct HttpRequest {
  std::string method;  ///< "GET"
  std::string path;    ///< Decoded, without the query: "/v1/models".
  std::string query;   ///< After '?', not decoded.
  HttpFields fields;
  std::string body;
  std::string peer;         ///< "127.0.0.1:51234"
  bool is_loopback = true;  ///< The connection comes from this machine.

  /// The value of the first field with that name, in any case; empty: there is none.
  std::string_view field(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  HttpFields fields = {};
  std::string body = {};  ///< Its Content-Length is added.
};

/// A request and what is answered to it: respond() once, or begin(), any number of write() and one
/// end(). Dropping the last reference before the response has ended answers 503, or cuts a stream.
///
/// Thread: any. No call blocks, and none calls `on_closed` itself.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual const HttpRequest& request() const = 0;

  virtual void respond(HttpResponse response) = 0;
  /// Begins a response in chunks. `response.body` is its first part and may be empty.
  virtual void begin(HttpResponse response) = 0;
  /// Queues a part. A client that reads too slowly is disconnected (HttpLimits).
  virtual void write(std::string part) = 0;
  virtual void end() = 0;

  /// Called once if the client disconnects, or is disconnected, before the response has ended; at
  /// once if that has happened. Thread: the server's.
  virtual void on_closed(std::function<void()> closed) = 0;
  virtual bool is_closed() const = 0;
};

}  // namespace quire
