#pragma once

#include <memory>
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
             int maxRequests = kMaxRequests);

  /// 404 for an unknown path, 405 for another method.
  void handle(const std::shared_ptr<HttpExchange>& exchange);
  /// Answers that are queued or computed.
  int numRequests() const { return m_limiter.taken(); }

  static constexpr int kMaxRequests = 256;

 private:
  RequestLimiter m_limiter;
  const ApiContext m_context;
  const std::vector<Route> m_routes;
};

}  // namespace quire
