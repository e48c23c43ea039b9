#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/server/http/http_message.h"

namespace quire {

struct ApiError;
class ActiveAnswers;
class ByteBudget;
class ChatBackend;
class DetailsCache;
class ModelDirectory;
struct ListedModel;
class RequestLimiter;
class ServerMetrics;
class TextBackend;

/// What endpoints use. All of it is thread-safe and outlives the last exchange.
struct ApiContext {
  ChatBackend& backend;
  TextBackend& texts;
  const ModelDirectory& models;
  RequestLimiter& limiter;
  std::shared_ptr<ServerMetrics> metrics = nullptr;  ///< May be null.
  std::shared_ptr<DetailsCache> details = nullptr;
  std::shared_ptr<ActiveAnswers> active = nullptr;
  /// The bytes of all log probabilities that are kept until the answers to their requests end.
  std::shared_ptr<ByteBudget> logprobs = nullptr;
};

/// Answers one request: at once, or later from any thread. Never blocks, never throws.
using Endpoint =
    std::function<void(const ApiContext& context, const std::shared_ptr<HttpExchange>& exchange)>;

struct Route {
  std::string method;  ///< "POST"
  std::string path;    ///< "/v1/models"; one that ends with '/' holds for all paths below it.
  Endpoint endpoint;
};

// The routes of each API.
std::vector<Route> openAiRoutes();
std::vector<Route> textRoutes();       ///< Tokenizers and embeddings.
std::vector<Route> statusRoutes();     ///< /health and its like.
std::vector<Route> anthropicRoutes();  ///< /v1/messages
std::vector<Route> ollamaRoutes();     ///< /api/...
std::vector<Route> responsesRoutes();  ///< /v1/responses

void respondJson(HttpExchange& exchange, const std::string& json, int status = 200);
/// In the dialect of the request's path.
void respondError(HttpExchange& exchange, const ApiError& error);

/// The model of that name; an empty one is the first. Answers 404 if there is none.
std::optional<ListedModel> findModel(const ApiContext& context, HttpExchange& exchange,
                                     const std::string& name);
/// 503: the server ends.
ApiError shuttingDown();
/// 429: `most` answers are queued or computed.
ApiError overloaded(int most);

}  // namespace quire
