#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/server/api/endpoint.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/request_limiter.h"

namespace quire {

/// All endpoints, without a socket: what the server's thread hands over, and what a batch file's
/// lines go to (with an HttpExchange of their own).
/// Thread: any; handle() does not block. The backends outlive it and every exchange.
class ApiService {
 public:
  ApiService(ChatBackend& backend, TextBackend& texts, const ModelDirectory& models,
             int maxRequests = kMaxRequests, std::shared_ptr<ServerMetrics> metrics = nullptr);

  /// 404 for an unknown path, 405 for another method.
  void handle(const std::shared_ptr<HttpExchange>& exchange);
  /// Tells the clients of all answers that the server ends, in their streams too, and refuses more.
  void endAll();
  /// Answers that are queued or computed.
  int numRequests() const { return m_limiter.taken(); }
  /// The route of a path, for metrics: never a client's own text.
  std::string routeOf(const std::string& path) const;

  static constexpr int kMaxRequests = 256;

 private:
  /// Null if there is none; `allowed` then says which methods the path has.
  const Route* find(const HttpRequest& request, std::string& allowed) const;

  RequestLimiter m_limiter;
  const ApiContext m_context;
  const std::vector<Route> m_routes;
};

}  // namespace quire
