// Anthropic's API.
#include <utility>

#include "app/engine/text_backend.h"
#include "app/server/api/anthropic_answers.h"
#include "app/server/api/anthropic_requests.h"
#include "app/server/api/endpoint.h"
#include "app/server/api/generation.h"
#include "app/server/api/json_text.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/request_size.h"
#include "app/server/api/text_question.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Exchange = std::shared_ptr<HttpExchange>;

void createMessage(const ApiContext& context, const Exchange& exchange) {
  MessagesRequest request;
  if (const auto error = parseMessagesRequest(exchange->request().body, request)) {
    return respondError(*exchange, *error);
  }
  GenerationRequest generation = std::move(request.generation);
  const auto makeWriter = [exchange, request = std::move(request)](const GenerationRequest& own) {
    return makeMessageWriter(exchange, request, own.model);
  };
  generate(context, exchange, std::move(generation), makeWriter);
}

void countMessageTokens(const ApiContext& context, const Exchange& exchange) {
  MessagesRequest request;
  if (const auto error = parseCountRequest(exchange->request().body, request)) {
    return respondError(*exchange, *error);
  }
  if (const auto error = checkRequestSize(request.generation.chat, exchange->request().path,
                                          request.generation.formatField)) {
    return respondError(*exchange, *error);
  }
  const auto model = findModel(context, *exchange, request.generation.model);
  if (!model) return;
  request.generation.chat.modelPath = QString::fromStdString(model->path);
  TextQuestion::ask<TokenizedText>(
      exchange,
      [&](Reply<TokenizedText> reply) {
        return context.texts.tokenize(request.generation.chat, /*withPieces=*/false,
                                      std::move(reply));
      },
      [exchange](const TokenizedText& text) {
        if (!text.error.isEmpty()) {
          return respondError(*exchange, apiErrorOf(text.errorCode, text.error));
        }
        respondJson(*exchange, jsonText({{"input_tokens", text.tokens.size()}}));
      });
}

}  // namespace

std::vector<Route> anthropicRoutes() {
  return {{"POST", "/v1/messages", createMessage},
          {"POST", "/v1/messages/count_tokens", countMessageTokens}};
}

}  // namespace quire
