#include "app/server/api/api_service.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/server/api/active_answers.h"
#include "app/server/api/api_error.h"
#include "app/server/api/details_cache.h"
#include "app/server/http/byte_budget.h"
#include "engine/io/text.h"

namespace quire {
namespace {

/// What all kept log probabilities may take, so that a batch, which has a limit on the lines that
/// it asks at once, has none here.
size_t logprobsBudget(int maxRequests) {
  constexpr size_t kLeastBytes = size_t{128} << 20;
  constexpr size_t kBytesOfRequest = size_t{512} << 10;
  return std::max(kLeastBytes, static_cast<size_t>(std::max(maxRequests, 0)) * kBytesOfRequest);
}

std::vector<Route> allRoutes() {
  std::vector<Route> all;
  for (auto routes : {openAiRoutes(), textRoutes(), statusRoutes(), anthropicRoutes(),
                      ollamaRoutes(), responsesRoutes()}) {
    std::ranges::move(routes, std::back_inserter(all));
  }
  return all;
}

bool isAt(const Route& route, const std::string& path) {
  if (!route.path.ends_with('/') || route.path == "/") return path == route.path;
  return path.size() > route.path.size() && path.starts_with(route.path);
}

}  // namespace

ApiService::ApiService(ChatBackend& backend, TextBackend& texts, const ModelDirectory& models,
                       int maxRequests, std::shared_ptr<ServerMetrics> metrics)
    : m_limiter(maxRequests),
      m_context{backend,
                texts,
                models,
                m_limiter,
                std::move(metrics),
                std::make_shared<DetailsCache>(),
                std::make_shared<ActiveAnswers>(),
                std::make_shared<ByteBudget>(logprobsBudget(maxRequests))},
      m_routes(allRoutes()) {}

const Route* ApiService::find(const HttpRequest& request, std::string& allowed) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : m_routes) {
    if (!isAt(route, request.path)) continue;
    if (route.method == method) return &route;
    allowed += (allowed.empty() ? "" : ", ") + route.method;
  }
  return nullptr;
}

void ApiService::handle(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  std::string allowed;
  if (const Route* const route = find(request, allowed)) {
    return route->endpoint(m_context, exchange);
  }
  const std::string what = for_message(request.method) + " " + for_message(request.path);
  if (allowed.empty()) {
    return respondError(
        *exchange,
        {.status = 404, .message = "There is nothing at " + what + ".", .code = "unknown_url"});
  }
  HttpResponse response =
      errorResponse({.status = 405,
                     .message = what + " is not possible; the method must be " + allowed + ".",
                     .code = "method_not_allowed"},
                    dialect_of(request.path));
  response.fields.emplace_back("Allow", allowed);
  exchange->respond(std::move(response));
}

void ApiService::endAll() {
  m_context.active->endAll();
}

std::string ApiService::routeOf(const std::string& path) const {
  const auto found =
      std::ranges::find_if(m_routes, [&](const Route& route) { return isAt(route, path); });
  return found == m_routes.end() ? "other" : found->path;
}

}  // namespace quire
