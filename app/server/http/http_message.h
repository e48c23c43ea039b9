#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
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
  std::string peer;          ///< "127.0.0.1:51234"
  bool is_loopback = false;  ///< The connection comes from this machine.

  /// The value of the first field with that name, in any case; empty: there is none.
  std::string_view field(std::string_view name) const;
  /// Whether there is a field with that name, in any case, even with an empty value.
  bool has_field(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  HttpFields fields = {};
  std::string body = {};  ///< Its Content-Length is added.
};

/// The name of an error with that status in Anthropic's API and, where it has one, OpenAI's.
std::string_view error_type(int status);

/// Whose shape errors have; requests are told apart by their path.
enum class ApiDialect { kOpenAi, kAnthropic, kOllama };
ApiDialect dialect_of(std::string_view path);

/// What the JSON of an error says, as far as its API has a place for it.
struct ErrorFields {
  int status = 400;
  std::string_view message;  ///< UTF-8.
  std::string_view type =
      "invalid_request_error";  ///< OpenAI's; the others follow from the status.
  std::string_view param = {};  ///< The field at fault; empty: none.
  std::string_view code = {};   ///< Empty: none.
};

/// The JSON of an error in the shape of an API, without line breaks.
std::string error_json(const ErrorFields& error, ApiDialect dialect);

/// The response for an error that is found before an endpoint sees the request: JSON in the shape
/// of the path's API. The message is a whole sentence of ours and says nothing of keys. An empty
/// path, because it has not been read, counts as one of OpenAI's.
HttpResponse error_response(int status, std::string_view message, std::string_view path);

/// What is decided on a request when its header has arrived, before its body is read.
struct HttpVerdict {
  std::optional<HttpResponse> answer = {};  ///< Given in place of the handler's.
  HttpFields fields = {};                   ///< Added to whichever response is sent.
  /// How long the answer is held back, so that keys cannot be guessed quickly. Meanwhile the
  /// connection does not count towards the limit.
  std::chrono::milliseconds delay{0};
};

/// A response that has ended, or a connection that was refused, for logs and metrics.
struct HttpRecord {
  std::string peer;
  std::string method;  ///< Empty, like the path: the request could not be read.
  std::string path;
  int status = 0;               ///< 0: the client had gone before there was one.
  uint64_t response_bytes = 0;  ///< Of the body, as far as it was sent.
  double ms = 0.0;              ///< Since the first byte of the request.
  bool is_complete = true;      ///< false: the connection ended first.
  std::string why_cut = {};     ///< Why the server ended it; empty: the client did.
};

/// A request and what is answered to it: respond() once, or begin(), any number of write() and one
/// end(). Dropping the last reference before the response has ended answers 503, or cuts a stream.
///
/// Thread: any. No call blocks, and none calls `on_closed` itself.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual const HttpRequest& request() const = 0;

  /// The whole response, however long; while clients leave too much unread (HttpLimits), a long one
  /// becomes an error, 503. The server adds Date, Content-Length and what belongs to the
  /// connection, and leaves out the body for HEAD.
  virtual void respond(HttpResponse response) = 0;
  /// Begins a response in chunks. `response.body` is its first part and may be empty.
  virtual void begin(HttpResponse response) = 0;
  /// Queues a part. A client that reads too slowly is disconnected (HttpLimits).
  virtual void write(std::string part) = 0;
  virtual void end() = 0;

  /// Sets what is called, once, if the client disconnects, or is disconnected, before respond() or
  /// end(); at once if that has happened. A client that closes its sending side counts as one that
  /// disconnects. Thread: the server's. A function that is set after the server's end is dropped.
  virtual void on_closed(std::function<void()> closed) = 0;
  virtual bool is_closed() const = 0;
};

}  // namespace quire
