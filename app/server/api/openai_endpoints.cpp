// Chats, completions and the list of models.
#include <utility>

#include "app/server/api/endpoint.h"
#include "app/server/api/generation.h"
#include "app/server/api/json_text.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/openai_answers.h"
#include "app/server/api/openai_requests.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Exchange = std::shared_ptr<HttpExchange>;
using Parse = std::optional<ApiError> (*)(const std::string&, OpenAiRequest&);
using Make = std::unique_ptr<AnswerWriter> (*)(std::shared_ptr<HttpExchange>,
                                               const OpenAiAnswerOptions&);

/// The endpoint of an API that is told apart by how requests are read and answers written.
Endpoint generating(Parse parse, Make make) {
  return [parse, make](const ApiContext& context, const Exchange& exchange) {
    OpenAiRequest request;
    if (const auto error = parse(exchange->request().body, request)) {
      return respondError(*exchange, *error);
    }
    const auto makeWriter = [exchange, make, stream = request.stream,
                             numLogprobs = request.numLogprobs](const GenerationRequest& resolved) {
      return make(exchange, {.model = resolved.model,
                             .numAnswers = resolved.numPrompts() * resolved.numAnswers,
                             .numLogprobs = numLogprobs,
                             .stream = stream});
    };
    generate(context, exchange, std::move(request.generation), makeWriter);
  };
}

Json modelJson(const ListedModel& model) {
  Json json = {
      {"id", model.name}, {"object", "model"}, {"created", model.created}, {"owned_by", "quire"}};
  json["max_model_len"] = model.contextLength > 0 ? Json(model.contextLength) : Json(nullptr);
  return json;
}

void listModels(const ApiContext& context, const Exchange& exchange) {
  Json data = Json::array();
  const auto models = context.models.models();
  for (const ListedModel& model : *models) data.push_back(modelJson(model));
  Json list = {{"object", "list"}};
  list["data"] = std::move(data);
  respondJson(*exchange, jsonText(list));
}

void describeModel(const ApiContext& context, const Exchange& exchange) {
  const std::string name = exchange->request().path.substr(std::string("/v1/models/").size());
  if (const auto model = findModel(context, *exchange, name)) {
    respondJson(*exchange, jsonText(modelJson(*model)));
  }
}

}  // namespace

std::vector<Route> openAiRoutes() {
  return {{"POST", "/v1/chat/completions", generating(parseChatRequest, makeChatWriter)},
          {"POST", "/v1/completions", generating(parseCompletionRequest, makeCompletionWriter)},
          {"GET", "/v1/models", listModels},
          {"GET", "/v1/models/", describeModel}};
}

}  // namespace quire
