// Tokens of texts and texts of tokens, in vLLM's shapes.
#include "app/engine/text_backend.h"
#include "app/server/api/api_error.h"
#include "app/server/api/embeddings_endpoint.h"
#include "app/server/api/endpoint.h"
#include "app/server/api/json_text.h"
#include "app/server/api/message_reader.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/openai_requests.h"
#include "app/server/api/request_size.h"
#include "app/server/api/text_question.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Exchange = std::shared_ptr<HttpExchange>;

struct TokenizeRequest {
  std::string model;
  ChatRequest chat;
  bool wantsPieces = false;
};

std::optional<ApiError> parseTokenize(const std::string& body, TokenizeRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  request.model = reader.string("model").value_or(std::string());
  request.wantsPieces = reader.boolean("return_token_strs").value_or(false);
  if (reader.any("messages") != nullptr) {
    GenerationRequest generation;
    readMessages(reader, generation.chat.turns);
    readTools(reader, generation);
    readTemplateOptions(reader, generation.chat);
    reader.accept("add_special_tokens", false, "Special tokens are the template's.");
    request.chat = std::move(generation.chat);
  } else {
    const auto text = reader.string("prompt");
    if (!text) reader.fail(badField("prompt", "prompt or messages is missing."));
    request.chat.rawPrompt =
        RawPrompt{.text = QString::fromStdString(text.value_or("")), .tokens = {}};
    reader.accept("add_special_tokens", true, "The model's own special tokens are always added.");
  }
  return reader.finish();
}

struct DetokenizeRequest {
  std::string model;
  QList<qint32> tokens;
};

std::optional<ApiError> parseDetokenize(const std::string& body, DetokenizeRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  request.model = reader.string("model").value_or(std::string());
  const Json* const tokens = reader.array("tokens");
  if (tokens == nullptr) {
    reader.fail(badField("tokens", "tokens must be an array of token ids."));
  } else {
    request.tokens = readTokens(reader, *tokens, "tokens");
  }
  return reader.finish();
}

/// Written by hand: there may be a million tokens.
std::string tokensText(const TokenizedText& text, bool wantsPieces) {
  std::string json = R"({"count":)" + std::to_string(text.tokens.size()) + R"(,"max_model_len":)" +
                     std::to_string(text.contextLength) + R"(,"tokens":[)";
  for (qsizetype i = 0; i < text.tokens.size(); ++i) {
    if (i > 0) json += ',';
    json += std::to_string(text.tokens[i]);
  }
  json += R"(],"token_strs":)";
  if (!wantsPieces) return json + "null}";
  json += '[';
  for (qsizetype i = 0; i < text.pieces.size(); ++i) {
    if (i > 0) json += ',';
    json += jsonText(text.pieces[i].toStdString());
  }
  return json + "]}";
}

void writeTokens(HttpExchange& exchange, const TokenizedText& text, const std::string& field,
                 bool wantsPieces) {
  if (!text.error.isEmpty()) {
    ApiError error = apiErrorOf(text.errorCode, text.error);
    if (error.status == 400) error.param = field;
    return respondError(exchange, error);
  }
  respondJson(exchange, tokensText(text, wantsPieces));
}

void tokenize(const ApiContext& context, const Exchange& exchange) {
  TokenizeRequest request;
  if (const auto error = parseTokenize(exchange->request().body, request)) {
    return respondError(*exchange, *error);
  }
  if (const auto error = checkRequestSize(request.chat, exchange->request().path)) {
    return respondError(*exchange, *error);
  }
  const auto model = findModel(context, *exchange, request.model);
  if (!model) return;
  request.chat.modelPath = QString::fromStdString(model->path);
  TextQuestion::ask<TokenizedText>(
      exchange,
      [&](Reply<TokenizedText> reply) {
        return context.texts.tokenize(request.chat, request.wantsPieces, std::move(reply));
      },
      [exchange, field = std::string(request.chat.rawPrompt ? "prompt" : "messages"),
       wantsPieces = request.wantsPieces](const TokenizedText& text) {
        writeTokens(*exchange, text, field, wantsPieces);
      });
}

void detokenize(const ApiContext& context, const Exchange& exchange) {
  DetokenizeRequest request;
  if (const auto error = parseDetokenize(exchange->request().body, request)) {
    return respondError(*exchange, *error);
  }
  const auto model = findModel(context, *exchange, request.model);
  if (!model) return;
  TextQuestion::ask<DetokenizedText>(
      exchange,
      [&](Reply<DetokenizedText> reply) {
        return context.texts.detokenize(QString::fromStdString(model->path), request.tokens,
                                        std::move(reply));
      },
      [exchange](const DetokenizedText& text) {
        if (!text.error.isEmpty()) {
          ApiError error = apiErrorOf(text.errorCode, text.error);
          if (error.status == 400) error.param = "tokens";
          return respondError(*exchange, error);
        }
        respondJson(*exchange, jsonText({{"prompt", text.text.toStdString()}}));
      });
}

}  // namespace

std::vector<Route> textRoutes() {
  return {{"POST", "/v1/tokenize", tokenize},
          {"POST", "/tokenize", tokenize},
          {"POST", "/v1/detokenize", detokenize},
          {"POST", "/detokenize", detokenize},
          {"POST", "/v1/embeddings", embedTexts}};
}

}  // namespace quire
