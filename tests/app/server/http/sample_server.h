#pragma once

#include <QtTest>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/server/http/http_server.h"
#include "tests/app/server/http/raw_client.h"

namespace quire {

/// A server whose answers are known: "/hold..." waits for the test, "/throw" throws, "/drop" drops
/// its exchange, "/stream" answers in three parts, and everything else says what was asked.
class SampleServer {
 public:
  explicit SampleServer(HttpServerOptions options = {}) {
    options.port = 0;
    if (!options.on_response_ended) {
      options.on_response_ended = [this](const HttpRecord& record) {
        const std::lock_guard lock(m_mutex);
        m_records.push_back(record);
        m_changed.notify_all();
      };
    }
    auto started = HttpServer::start(
        options, [this](std::shared_ptr<HttpExchange> exchange) { answer(std::move(exchange)); });
    if (!started) qFatal("%s", started.error().message.c_str());
    m_server = std::move(started).value();
  }
  ~SampleServer() { stop(); }

  uint16_t port() const { return m_server->port(); }
  HttpServer& server() { return *m_server; }
  void stop() { m_server.reset(); }
  RawClient connect(int receive_buffer_bytes = 0) const {
    return RawClient(port(), receive_buffer_bytes);
  }

  /// The exchange of the next "/hold", once it has arrived.
  std::shared_ptr<HttpExchange> take_held() {
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait_for(lock, RawClient::kLong, [this] { return !m_held.empty(); })) return {};
    auto exchange = std::move(m_held.front());
    m_held.erase(m_held.begin());
    return exchange;
  }
  std::vector<std::shared_ptr<HttpExchange>> take_all_held() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_held, {});
  }
  int num_handled() const {
    const std::lock_guard lock(m_mutex);
    return m_num_handled;
  }
  std::vector<HttpRecord> wait_for_records(size_t count) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, RawClient::kLong, [&] { return m_records.size() >= count; });
    return m_records;
  }

 private:
  void answer(std::shared_ptr<HttpExchange> exchange) {
    const HttpRequest& request = exchange->request();
    {
      const std::lock_guard lock(m_mutex);
      ++m_num_handled;
    }
    if (request.path == "/throw") throw std::string("no exception of the standard library");
    if (request.path == "/drop") return;
    if (request.path == "/stream") return stream(*exchange);
    if (request.path.starts_with("/hold")) {
      const std::lock_guard lock(m_mutex);
      m_held.push_back(std::move(exchange));
      m_changed.notify_all();
      return;
    }
    exchange->respond({.fields = {{"Content-Type", "text/plain"}},
                       .body = request.method + ' ' + request.path + '?' + request.query + ' ' +
                               std::to_string(request.body.size())});
  }

  static void stream(HttpExchange& exchange) {
    exchange.begin({.fields = {{"Content-Type", "text/event-stream"}}, .body = "one,"});
    exchange.write("two,");
    exchange.write("");
    exchange.write("three");
    exchange.end();
  }

  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<std::shared_ptr<HttpExchange>> m_held;
  std::vector<HttpRecord> m_records;
  int m_num_handled = 0;
  std::unique_ptr<HttpServer> m_server;  // The last: its thread uses the others.
};

/// Notes that an on_closed function was called.
class ClosedFlag {
 public:
  std::function<void()> function() {
    return [state = m_state] {
      const std::lock_guard lock(state->mutex);
      ++state->calls;
      state->changed.notify_all();
    };
  }
  bool is_set_within(std::chrono::milliseconds time) {
    std::unique_lock lock(m_state->mutex);
    return m_state->changed.wait_for(lock, time, [this] { return m_state->calls > 0; });
  }
  int calls() const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->calls;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int calls = 0;
  };
  std::shared_ptr<State> m_state = std::make_shared<State>();
};

inline std::string get_request(const std::string& path, const std::string& fields = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

inline std::string post_request(const std::string& path, const std::string& body,
                                const std::string& fields = {}) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         fields + "\r\n" + body;
}

}  // namespace quire
