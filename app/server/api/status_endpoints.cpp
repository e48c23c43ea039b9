// What load balancers and monitors ask.
#include "app/server/api/api_error.h"
#include "app/server/api/endpoint.h"
#include "app/server/api/json_text.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/request_limiter.h"
#include "app/server/server_metrics.h"

namespace quire {
namespace {

using Exchange = std::shared_ptr<HttpExchange>;

/// For people who open the address, and clients of Ollama that look whether it runs.
void root(const ApiContext&, const Exchange& exchange) {
  exchange->respond(
      {.fields = {{"Content-Type", "text/plain; charset=utf-8"}}, .body = "Quire is running."});
}

void health(const ApiContext&, const Exchange& exchange) {
  respondJson(*exchange, R"({"status":"ok"})");
}

/// Whether the first model answers: it is loaded, or was and is idle. A load balancer that heard
/// otherwise of an idle one would send nothing that loads it again.
void ready(const ApiContext& context, const Exchange& exchange) {
  const auto model = context.models.find({});
  const bool isIdle = model && model->hasAnswered && model->error.empty();
  if (model && (model->isLoaded || isIdle)) return respondJson(*exchange, R"({"status":"ready"})");
  const std::string why = !model                 ? "No model is offered."
                          : model->error.empty() ? "The model " + model->name + " is not loaded."
                                                 : model->error;
  respondError(*exchange,
               {.status = 503, .message = why, .type = "server_error", .retryAfterSeconds = 1});
}

void version(const ApiContext&, const Exchange& exchange) {
  respondJson(*exchange, jsonText({{"version", QUIRE_VERSION}}));
}

void metrics(const ApiContext& context, const Exchange& exchange) {
  exchange->respond({.status = 200,
                     .fields = {{"Content-Type", MetricRegistry::kContentType}},
                     .body = context.metrics ? context.metrics->text() : std::string()});
}

}  // namespace

std::vector<Route> statusRoutes() {
  return {{"GET", "/", root},
          {"GET", "/health", health},
          {"GET", "/ready", ready},
          {"GET", "/version", version},
          {"GET", "/metrics", metrics}};
}

}  // namespace quire
