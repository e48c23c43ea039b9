#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/load/endpoint_url.h"

namespace quire {

/// Receives the response to one request, on the thread of HttpPosts::run(). ended() is called once
/// and last.
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  virtual void status(int code) = 0;
  /// False: the rest is not read, and the connection is closed.
  virtual bool body(std::string_view piece) = 0;
  /// `error` is empty if the response is complete or body() wanted no more, else a sentence.
  virtual void ended(const std::string& error) = 0;
};

/// Sends requests to one server, many at once, each on a connection of its own. What a server
/// answers is bounded: 64 KiB of header, 64 MiB of body, and the time of a whole request.
/// Thread: one for everything; sinks and timers are called inside run().
class HttpPosts {
 public:
  struct Options {
    EndpointUrl url;
    std::string api_key;  ///< Empty: none.
    std::chrono::seconds timeout{600};
  };

  /// Looks the host's name up. Errors: kNotFound.
  static Result<std::unique_ptr<HttpPosts>> open(const Options& options);
  ~HttpPosts();

  /// `path` follows the URL's base: "/completions". An empty body makes it a GET.
  void send(const std::string& path, std::string body, std::shared_ptr<ResponseSink> sink);
  /// Calls `work` after so many seconds from now.
  void after(double seconds, std::function<void()> work);
  /// Returns when all responses have ended and all timers have run.
  void run();

 private:
  struct State;
  explicit HttpPosts(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace quire
