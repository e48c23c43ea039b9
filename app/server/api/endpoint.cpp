#include "app/server/api/endpoint.h"

#include "app/server/api/api_error.h"
#include "app/server/api/model_directory.h"
#include "engine/io/text.h"
#include "kernels/base/visible_text.h"

namespace quire {

void respondJson(HttpExchange& exchange, const std::string& json, int status) {
  exchange.respond(
      {.status = status, .fields = {{"Content-Type", "application/json"}}, .body = json});
}

void respondError(HttpExchange& exchange, const ApiError& error) {
  exchange.respond(errorResponse(error, dialect_of(exchange.request().path)));
}

std::optional<ListedModel> findModel(const ApiContext& context, HttpExchange& exchange,
                                     const std::string& name) {
  auto model = context.models.find(name);
  if (model) return model;
  std::string names;
  const auto all = context.models.models();
  for (const ListedModel& one : *all) {
    names += (names.empty() ? "" : ", ") + visible_text(one.name);
  }
  respondError(exchange,
               {.status = 404,
                .message = "There is no model '" + for_message(name) + "' here. " +
                           (names.empty() ? "No model is offered." : "There are: " + names + "."),
                .param = "model",
                .code = "model_not_found"});
  return std::nullopt;
}

ApiError shuttingDown() {
  return {.status = 503,
          .message = "The server is shutting down; ask again when it runs.",
          .type = "server_error",
          .code = "server_shutting_down",
          .retryAfterSeconds = 5};
}

ApiError overloaded(int most) {
  return {.status = 429,
          .message = "The server is computing or queueing as many answers as it may (" +
                     std::to_string(most) + "); try again in a moment.",
          .type = "rate_limit_error",
          .code = "rate_limit_exceeded",
          .retryAfterSeconds = 1};
}

}  // namespace quire
