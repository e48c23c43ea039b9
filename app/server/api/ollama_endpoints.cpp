// Ollama's chats, completions and embeddings.
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/engine/text_backend.h"
#include "app/server/api/embeddings_endpoint.h"
#include "app/server/api/endpoint.h"
#include "app/server/api/generation.h"
#include "app/server/api/json_text.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/ollama_answers.h"
#include "app/server/api/ollama_models.h"
#include "app/server/api/ollama_options.h"
#include "app/server/api/ollama_requests.h"
#include "app/server/api/openai_requests.h"
#include "app/server/api/request_limiter.h"
#include "app/server/api/text_question.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using Exchange = std::shared_ptr<HttpExchange>;
using Parse = std::optional<ApiError> (*)(const std::string&, OllamaRequest&);

void loadModel(const ApiContext& context, const Exchange& exchange, const OllamaRequest& request,
               const ListedModel& model) {
  TextQuestion::ask<TextModel>(
      exchange,
      [&](Reply<TextModel> reply) {
        return context.texts.open(QString::fromStdString(model.path), std::move(reply));
      },
      [exchange, text = loadedJson(request, model.name)](const TextModel& opened) {
        if (opened.error.isEmpty()) return respondJson(*exchange, text);
        respondError(*exchange, apiErrorOf(opened.errorCode, opened.error));
      });
}

ApiError contextTooSmall(const OllamaRequest& request, const ListedModel& model) {
  return badField("options.num_ctx", "options.num_ctx is " + std::to_string(request.contextTokens) +
                                         ", and the context of " + model.name + " holds " +
                                         std::to_string(model.contextLength) + " tokens.");
}

Endpoint answering(Parse parse) {
  return [parse](const ApiContext& context, const Exchange& exchange) {
    OllamaRequest request;
    if (const auto error = parse(exchange->request().body, request)) {
      return respondError(*exchange, *error);
    }
    const auto model = findOllamaModel(context, *exchange, request.generation.model);
    if (!model) return;
    // A larger context than was asked for does no harm.
    if (model->contextLength > 0 && request.contextTokens > model->contextLength) {
      return respondError(*exchange, contextTooSmall(request, *model));
    }
    if (request.isLoadOnly) return loadModel(context, exchange, request, *model);
    request.generation.model = model->name;
    GenerationRequest generation = std::move(request.generation);
    const auto makeWriter = [exchange, request = std::move(request)](const GenerationRequest& own) {
      return makeOllamaWriter(exchange, request, own.model);
    };
    generate(context, exchange, std::move(generation), makeWriter);
  };
}

struct EmbedCall {
  std::string model;
  EmbeddingRequest request;
  bool isList = true;  ///< /api/embed; else the older /api/embeddings, of one text.
};

std::optional<ApiError> parseEmbed(const std::string& body, EmbedCall& call) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  call.model = reader.string("model").value_or(std::string());
  call.request.inputs = readPrompts(reader, call.isList ? "input" : "prompt");
  reader.accept("truncate", false, "A text that is too long is an error, and is not cut.");
  reader.refuse("dimensions", "dimensions is not supported: vectors have the model's own size.");
  readKeepAlive(reader);
  OllamaRequest ignored;  // An embedding has no answer that the options could change.
  readOllamaOptions(reader, ignored);
  return reader.finish();
}

Json vectorJson(const std::vector<float>& vector) {
  return Json(vector);
}

void respondEmbeddings(HttpExchange& exchange, bool isList, const std::string& model,
                       const Embeddings& result, Clock::time_point begun) {
  if (!result.error.isEmpty()) {
    return respondError(exchange, apiErrorOf(result.errorCode, result.error));
  }
  if (!isList) {
    return respondJson(exchange, jsonText({{"embedding", vectorJson(result.vectors.at(0))}}));
  }
  Json json = {{"model", model}};
  Json& vectors = json["embeddings"] = Json::array();
  for (const auto& vector : result.vectors) vectors.push_back(vectorJson(vector));
  json["total_duration"] =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun).count();
  json["load_duration"] = 0;
  json["prompt_eval_count"] = result.promptTokens;
  respondJson(exchange, jsonText(json));
}

Endpoint embedding(bool isList) {
  return [isList](const ApiContext& context, const Exchange& exchange) {
    EmbedCall call{.isList = isList};
    if (const auto error = parseEmbed(exchange->request().body, call)) {
      return respondError(*exchange, *error);
    }
    const auto model = findOllamaModel(context, *exchange, call.model);
    if (!model) return;
    const auto places = std::make_shared<RequestLimiter::Slots>(context.limiter.tryTake(1));
    if (!*places) return respondError(*exchange, overloaded(context.limiter.most()));
    call.request.modelPath = QString::fromStdString(model->path);
    TextQuestion::ask<Embeddings>(
        exchange,
        [&](Reply<Embeddings> reply) {
          return context.texts.embed(call.request, std::move(reply));
        },
        [exchange, places, isList, name = model->name,
         begun = Clock::now()](const Embeddings& result) {
          places->release();
          writeVectors(result, [exchange, isList, name, begun](const Embeddings& own) {
            respondEmbeddings(*exchange, isList, name, own, begun);
          });
        });
  };
}

}  // namespace

std::vector<Route> ollamaRoutes() {
  std::vector<Route> routes = {{"POST", "/api/chat", answering(parseOllamaChat)},
                               {"POST", "/api/generate", answering(parseOllamaGenerate)},
                               {"POST", "/api/embed", embedding(true)},
                               {"POST", "/api/embeddings", embedding(false)}};
  for (Route& route : ollamaModelRoutes()) routes.push_back(std::move(route));
  return routes;
}

}  // namespace quire
