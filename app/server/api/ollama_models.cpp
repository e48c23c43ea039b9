#include "app/server/api/ollama_models.h"

#include <QDateTime>
#include <QThreadPool>

#include <utility>

#include "app/server/api/details_cache.h"
#include "app/server/api/field_reader.h"
#include "app/server/api/json_text.h"
#include "app/server/api/ollama_answers.h"
#include "engine/chat/chat_format.h"
#include "engine/chat/tool_calls.h"
#include "engine/io/hash.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using Exchange = std::shared_ptr<HttpExchange>;

/// The version of Ollama whose API this is. Clients ask for it to know what they may use.
constexpr const char* kOllamaVersion = "0.12.6";

bool isGguf(const ListedModel& model) {
  return model.path.ends_with(".gguf");
}

/// Identifies a file by its path and its last change; hashing models would take minutes.
std::string digestOf(const ListedModel& model) {
  Sha256 hash;
  hash.update(model.path + "\n" + std::to_string(model.created) + "\n" +
              std::to_string(model.bytes));
  return to_hex(hash.finish());
}

Json detailsJson(const ListedModel& model, const ModelDetails& details) {
  Json families = Json::array();
  if (!details.family.empty()) families.push_back(details.family);
  const bool isKnown = details.num_parameters > 0;
  return {{"parent_model", ""},
          {"format", isGguf(model) ? "gguf" : "safetensors"},
          {"family", details.family},
          {"families", std::move(families)},
          {"parameter_size", isKnown ? parameter_count_text(details.num_parameters) : ""},
          {"quantization_level", details.quantization}};
}

Json entryJson(const ListedModel& model, const ModelDetails& details) {
  return {{"name", model.name},
          {"model", model.name},
          {"modified_at", ollamaTime(model.created * 1000)},
          {"size", details.file_bytes},
          {"digest", digestOf(model)},
          {"details", detailsJson(model, details)}};
}

/// Answers on another thread, because it reads the files: the models need not be loaded.
void listModels(const ApiContext& context, const Exchange& exchange,
                Json (*entriesOf)(const ModelDirectory::Models&, DetailsCache&)) {
  QThreadPool::globalInstance()->start(
      [exchange, entriesOf, models = context.models.models(), details = context.details] {
        respondJson(*exchange, jsonText({{"models", entriesOf(*models, *details)}}));
      });
}

Json tagsJson(const ModelDirectory::Models& all, DetailsCache& details) {
  Json models = Json::array();
  for (const ListedModel& model : all) models.push_back(entryJson(model, details.of(model)));
  return models;
}

Json loadedModelsJson(const ModelDirectory::Models& all, DetailsCache& details) {
  Json models = Json::array();
  for (const ListedModel& model : all) {
    if (!model.isLoaded) continue;
    Json entry = entryJson(model, details.of(model));
    entry.erase("modified_at");
    entry["size"] = model.memoryBytes;
    // When it is unloaded depends on its use: far away.
    entry["expires_at"] = ollamaTime(QDateTime::currentMSecsSinceEpoch() + 86'400'000);
    entry["size_vram"] = model.isOnGpu ? model.memoryBytes : 0;
    entry["context_length"] = model.contextLength;
    models.push_back(std::move(entry));
  }
  return models;
}

void listTags(const ApiContext& context, const Exchange& exchange) {
  listModels(context, exchange, tagsJson);
}

void listLoaded(const ApiContext& context, const Exchange& exchange) {
  listModels(context, exchange, loadedModelsJson);
}

void tellVersion(const ApiContext&, const Exchange& exchange) {
  respondJson(*exchange, jsonText({{"version", kOllamaVersion}}));
}

Json capabilitiesJson(const std::string& templateSource) {
  Json capabilities = Json::array({"completion"});
  if (template_reads_tools(templateSource) && find_tool_call_format(templateSource) != nullptr) {
    capabilities.push_back("tools");
  }
  const bool thinks = templateSource.find("<think>") != std::string::npos ||
                      templateSource.find("enable_thinking") != std::string::npos ||
                      templateSource.find("reasoning_effort") != std::string::npos;
  if (thinks) capabilities.push_back("thinking");
  return capabilities;
}

Json descriptionJson(const ListedModel& model, const ModelDetails& details,
                     const std::string& templateSource) {
  const std::string family = details.family.empty() ? "model" : details.family;
  Json json = {{"modelfile", ""}, {"parameters", ""}, {"template", templateSource}};
  json["details"] = detailsJson(model, details);
  json["model_info"] = Json::object({{"general.architecture", family}});
  if (details.num_parameters > 0) {
    json["model_info"]["general.parameter_count"] = details.num_parameters;
  }
  if (model.contextLength > 0) {
    json["model_info"][family + ".context_length"] = model.contextLength;
  }
  json["capabilities"] = capabilitiesJson(templateSource);
  json["modified_at"] = ollamaTime(model.created * 1000);
  return json;
}

/// Reads the template from the model's files, on another thread: the model need not be loaded.
void describe(const ApiContext& context, const Exchange& exchange) {
  Json object;
  if (const auto error = parseBody(exchange->request().body, object)) {
    return respondError(*exchange, *error);
  }
  FieldReader reader(object);
  const auto older = reader.string("name");
  const auto name = reader.string("model");
  reader.ignore("verbose");  // The long lists of tokens are left out in any case.
  if (!name && !older) reader.fail(badField("model", "model is missing."));
  if (const auto error = reader.finish()) return respondError(*exchange, *error);
  const auto model = findOllamaModel(context, *exchange, name ? *name : *older);
  if (!model) return;
  QThreadPool::globalInstance()->start([exchange, model = *model, details = context.details] {
    const auto source = read_template_source(model.path);
    if (!source) {
      return respondError(*exchange, apiErrorOf(source.error().code, source.error().message));
    }
    respondJson(*exchange, jsonText(descriptionJson(model, details->of(model), *source)));
  });
}

}  // namespace

std::optional<ListedModel> findOllamaModel(const ApiContext& context, HttpExchange& exchange,
                                           const std::string& name) {
  constexpr std::string_view kTag = ":latest";
  const bool hasTag = name.ends_with(kTag) && !context.models.find(name);
  return findModel(context, exchange, hasTag ? name.substr(0, name.size() - kTag.size()) : name);
}

std::vector<Route> ollamaModelRoutes() {
  return {{"GET", "/api/tags", listTags},
          {"GET", "/api/ps", listLoaded},
          {"GET", "/api/version", tellVersion},
          {"POST", "/api/show", describe}};
}

}  // namespace quire
