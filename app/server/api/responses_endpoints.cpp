// OpenAI's Responses.
#include <utility>

#include "app/server/api/endpoint.h"
#include "app/server/api/generation.h"
#include "app/server/api/responses_answers.h"
#include "app/server/api/responses_requests.h"

namespace quire {
namespace {

void createResponse(const ApiContext& context, const std::shared_ptr<HttpExchange>& exchange) {
  ResponsesRequest request;
  if (const auto error = parseResponsesRequest(exchange->request().body, request)) {
    return respondError(*exchange, *error);
  }
  GenerationRequest generation = std::move(request.generation);
  const auto makeWriter = [exchange, request = std::move(request)](const GenerationRequest& own) {
    return makeResponseWriter(exchange, request, own.model);
  };
  generate(context, exchange, std::move(generation), makeWriter);
}

}  // namespace

std::vector<Route> responsesRoutes() {
  return {{"POST", "/v1/responses", createResponse}};
}

}  // namespace quire
