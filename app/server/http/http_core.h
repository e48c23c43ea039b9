#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_set>

#include "app/server/http/byte_budget.h"
#include "app/server/http/held_connections.h"
#include "app/server/http/http_server.h"
#include "app/server/http/server_mailbox.h"

namespace quire {

class HttpSession;

/// What the connections of one server share.
/// Thread: the server's; num_connections any.
struct HttpCore {
  HttpServerOptions options;
  HttpServer::Handler handler;
  std::shared_ptr<ServerMailbox> mailbox;
  std::shared_ptr<ByteBudget> bodies;
  std::shared_ptr<ByteBudget> responses;
  std::unordered_set<std::shared_ptr<HttpSession>> sessions = {};
  int num_refused = 0;        ///< Of the sessions: those beyond max_connections.
  HeldConnections held = {};  ///< Of the sessions: those whose refusal is held back.
  uint64_t num_accepted = 0;  ///< Connections so far.
  std::atomic<int> num_connections{0};
};

}  // namespace quire
