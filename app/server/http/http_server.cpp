#include "app/server/http/http_server.h"

#include <algorithm>
#include <exception>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "app/server/http/http_core.h"
#include "app/server/http/http_listener.h"
#include "app/server/http/http_session.h"

namespace quire {
namespace {

/// Beyond them, connections that are too many are closed without an answer.
constexpr int kMaxRefused = 64;

}  // namespace

struct HttpServer::State {
  State(HttpServerOptions options, Handler handler)
      : listener(context), core{.options = std::move(options), .handler = std::move(handler)} {
    core.mailbox = std::make_shared<ServerMailbox>([this](std::function<void()> function) {
      boost::asio::post(context, std::move(function));
    });
    core.bodies = std::make_shared<ByteBudget>(core.options.limits.max_all_bodies_bytes);
    core.responses = std::make_shared<ByteBudget>(core.options.limits.max_all_responses_bytes);
  }

  /// Closes the oldest of the connections that may be closed for a new one. False: there is none.
  bool make_place() {
    std::shared_ptr<HttpSession> oldest;
    for (const auto& session : core.sessions) {
      if (!session->may_give_way()) continue;
      if (!oldest || session->number() < oldest->number()) oldest = session;
    }
    if (oldest) oldest->close("its place was needed");
    return oldest != nullptr;
  }

  void accept(HttpSession::Socket socket) {
    const bool is_full =
        core.num_connections >= core.options.limits.max_connections && !make_place();
    if (is_full && core.num_refused >= kMaxRefused) return;  // The socket's end closes it.
    const auto session = std::make_shared<HttpSession>(std::move(socket), core);
    core.sessions.insert(session);
    if (is_full) {
      session->start_refused();
    } else {
      session->start();
    }
  }

  bool is_answering() const {
    return std::any_of(core.sessions.begin(), core.sessions.end(),
                       [](const auto& session) { return session->is_answering(); });
  }

  /// Ends what keeps run() going.
  void stop() {
    listener.close();
    const std::vector<std::shared_ptr<HttpSession>> sessions(core.sessions.begin(),
                                                             core.sessions.end());
    for (const auto& session : sessions) session->close();
    core.mailbox->close();
    work.reset();
  }

  /// A function that was given to the server, or the memory, may throw: the other connections go
  /// on.
  void run() {
    for (bool has_ended = false; !has_ended;) {
      try {
        context.run();
        has_ended = true;
      } catch (const std::exception&) {
      }
    }
  }

  boost::asio::io_context context{1};
  /// Until stop(), run() goes on without a connection as well: finish() asks it.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      context.get_executor()};
  HttpListener listener;
  HttpCore core;
  std::thread thread;
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options,
                                                      Handler handler) {
  try {
    auto state = std::make_unique<State>(options, std::move(handler));
    if (auto listens = state->listener.listen(options.host, options.port); !listens) {
      return listens.error();
    }
    State* const running = state.get();
    running->listener.start(
        [running](HttpSession::Socket socket) { running->accept(std::move(socket)); });
    running->thread = std::thread([running] { running->run(); });
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
  } catch (const std::exception& exception) {
    return make_error(ErrorCode::kIo, "The server cannot use port %1 of %2: %3.",
                      {std::to_string(options.port), options.host, exception.what()});
  }
}

HttpServer::HttpServer(std::unique_ptr<State> state) : m_state(std::move(state)) {}

HttpServer::~HttpServer() {
  boost::asio::post(m_state->context, [state = m_state.get()] { state->stop(); });
  m_state->thread.join();
}

void HttpServer::finish(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  State* const state = m_state.get();
  for (bool is_busy = true; is_busy && std::chrono::steady_clock::now() < until;) {
    const auto answer = std::make_shared<std::promise<bool>>();
    boost::asio::post(state->context, [state, answer] {
      state->listener.close();
      answer->set_value(state->is_answering());
    });
    is_busy = answer->get_future().get();
    if (is_busy) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

uint16_t HttpServer::port() const {
  return m_state->listener.port();
}

int HttpServer::num_connections() const {
  return m_state->core.num_connections;
}

}  // namespace quire
