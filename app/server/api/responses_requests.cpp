#include "app/server/api/responses_requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/server/api/block_reader.h"
#include "app/server/api/field_reader.h"
#include "app/server/api/json_text.h"
#include "app/server/api/responses_items.h"
#include "app/server/api/sampling_reader.h"
#include "app/server/api/tool_choice_reader.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// Keeps what a field said for the response; null if it is not there.
void echo(FieldReader& reader, const char* field, ResponsesRequest& request) {
  const Json* const value = reader.any(field);
  request.echo[field] = value == nullptr ? Json(nullptr) : *value;
}

void readChat(FieldReader& reader, ResponsesRequest& request) {
  TurnBuilder turns;
  const std::string instructions = reader.string("instructions").value_or(std::string());
  echo(reader, "instructions", request);
  if (!instructions.empty()) turns.addText("system", instructions);
  turns.endTurn();
  readInputItems(reader, turns);
  ChatRequest& chat = request.generation.chat;
  chat.turns = turns.take();
  if (!chat.turns.isEmpty() && chat.turns.last().role == QLatin1String("assistant")) {
    reader.fail(badField("input",
                         "The last item must not be the assistant's: there is nothing to "
                         "answer."));
  }
}

void readTools(FieldReader& reader, ResponsesRequest& request) {
  const WantedCalls wanted = readToolChoice(reader, /*isFlat=*/true);
  const Json* const choice = reader.any("tool_choice");
  request.echo["tool_choice"] = choice == nullptr ? Json("auto") : *choice;
  request.echo["parallel_tool_calls"] = reader.boolean("parallel_tool_calls").value_or(true);
  reader.refuse("max_tool_calls", "max_tool_calls is not supported.");
  const Json* const tools = reader.array("tools");
  request.echo["tools"] = tools == nullptr ? Json::array() : *tools;
  if (tools == nullptr || tools->empty()) return;
  Json list = Json::array();
  for (size_t i = 0; i < tools->size() && !reader.hasFailed(); ++i) {
    FieldReader inner((*tools)[i], indexedName("tools", i));
    const std::string type = inner.string("type").value_or(std::string());
    if (!inner.hasFailed() && type != "function") {
      inner.fail(
          unsupported(inner.nameOf("type"), "Only tools of the type function are supported."));
    }
    const bool isStrict = inner.boolean("strict").value_or(false);
    inner.accept("defer_loading", false, "All tools are told to the model at once.");
    inner.accept("allowed_callers", Json::array({"direct"}), "Tools are called by the model only.");
    inner.refuse("output_schema", "Templates do not tell the model what a tool returns.");
    list.push_back(chatTool(inner, "parameters"));
    if (isStrict) list.back()["function"]["strict"] = true;
    if (auto error = inner.finish()) reader.fail(std::move(*error));
  }
  checkToolNames(reader, list);
  if (wanted.isNone) return;
  request.generation.chat.prompt.tools = jsonText(list);
  request.generation.findsToolCalls = true;
  constrainCalls(reader, list, wanted.choice, request.generation);
}

void readTextFormat(FieldReader& text, AnswerFormat& answer) {
  const Json* const format = text.object("format");
  if (format == nullptr) return;
  FieldReader inner(*format, "text.format");
  const std::string type = inner.string("type").value_or(std::string());
  if (type == "json_object") {
    answer.kind = AnswerFormat::Kind::kJson;
  } else if (type == "json_schema") {
    for (const char* field : {"name", "description", "strict"}) inner.ignore(field);
    const Json* const schema = inner.object("schema");
    if (schema == nullptr)
      inner.fail(badField("text.format.schema", "text.format needs a schema."));
    answer = {.kind = AnswerFormat::Kind::kJsonSchema,
              .schema = schema == nullptr ? std::string() : jsonText(*schema)};
  } else if (!inner.hasFailed() && type != "text") {
    inner.fail(
        badField("text.format.type", "text.format.type must be text, json_object or json_schema."));
  }
  if (auto error = inner.finish()) text.fail(std::move(*error));
}

void readText(FieldReader& reader, ResponsesRequest& request) {
  request.echo["text"] = {{"format", {{"type", "text"}}}};
  const Json* const text = reader.object("text");
  if (text == nullptr) return;
  FieldReader inner(*text, "text");
  AnswerFormat answer;
  readTextFormat(inner, answer);
  setFormat(inner, "text.format.schema", std::move(answer), request.generation);
  inner.accept("verbosity", "medium", "text.verbosity is not supported.");
  if (auto error = inner.finish()) return reader.fail(std::move(*error));
  if (text->contains("format")) request.echo["text"] = *text;
}

/// reasoning.effort is what the template is told. Summaries are not made: the reasoning itself is
/// returned.
void readReasoning(FieldReader& reader, ResponsesRequest& request) {
  request.echo["reasoning"] = {{"effort", nullptr}, {"summary", nullptr}};
  const Json* const reasoning = reader.object("reasoning");
  if (reasoning == nullptr) return;
  FieldReader inner(*reasoning, "reasoning");
  if (const auto effort = inner.string("effort")) {
    constexpr std::array kEfforts = {"none", "minimal", "low", "medium", "high", "xhigh", "max"};
    if (std::ranges::find(kEfforts, *effort) == kEfforts.end()) {
      inner.fail(
          badField("reasoning.effort",
                   "reasoning.effort must be none, minimal, low, medium, high, xhigh or max."));
    }
    setTemplateVariable(request.generation.chat, "reasoning_effort", *effort);
    if (*effort == "none") {
      setTemplateVariable(request.generation.chat, "enable_thinking", false);
    }
    request.echo["reasoning"]["effort"] = *effort;
  }
  inner.accept("summary", "auto", "Reasoning is not summarised: it is returned as it is.");
  inner.accept("generate_summary", "auto", "Reasoning is not summarised: it is returned as it is.");
  inner.accept("context", "auto", "The template decides which reasoning the model sees again.");
  inner.accept("mode", "standard", "There is one mode: standard.");
  if (auto error = inner.finish()) reader.fail(std::move(*error));
}

std::optional<float> readFloat(FieldReader& reader, const char* field, double most) {
  const auto value = reader.number(field, 0.0, most);
  return value ? std::optional(static_cast<float>(*value)) : std::nullopt;
}

void readSampling(FieldReader& reader, ResponsesRequest& request) {
  OpenSampling& open = request.generation.open;
  open.temperature = readFloat(reader, "temperature", 100.0);
  open.topP = readFloat(reader, "top_p", 1.0);
  if (open.topP == 0.0f) reader.fail(badField("top_p", "top_p must be more than 0."));
  if (const auto tokens = reader.integer("max_output_tokens", 1, kMaxTokens)) {
    open.maxTokens = static_cast<int>(*tokens);
  }
  for (const char* field : {"temperature", "top_p", "max_output_tokens"}) {
    echo(reader, field, request);
  }
  reader.accept("top_logprobs", 0, "Log probabilities are those of /v1/chat/completions.");
  const std::string truncation = reader.string("truncation").value_or("disabled");
  if (truncation != "auto" && truncation != "disabled") {
    reader.fail(badField("truncation", "truncation must be auto or disabled."));
  }
  request.generation.chat.dropsOldTurns = truncation == "auto";
  request.echo["truncation"] = truncation;
}

void readStream(FieldReader& reader, ResponsesRequest& request) {
  request.isStreamed = reader.boolean("stream").value_or(false);
  const Json* const options = reader.object("stream_options");
  if (options == nullptr) return;
  FieldReader inner(*options, "stream_options");
  inner.ignore("include_obfuscation");  // Adds padding against eavesdroppers, if any.
  if (auto error = inner.finish()) reader.fail(std::move(*error));
}

/// Answers are not stored, so nothing that needs stored ones is possible.
void refuseStored(FieldReader& reader, ResponsesRequest& request) {
  reader.accept("store", false, "Responses are not stored: leave store out, or set it to false.");
  request.echo["store"] = false;
  reader.refuse("previous_response_id", "Responses are not stored: send the whole chat as input.");
  reader.refuse("conversation", "Conversations are not stored: send the whole chat as input.");
  reader.refuse("prompt", "Stored prompts are not supported: send the text as input.");
  for (const char* field : {"context_management", "moderation", "background_options"}) {
    reader.refuse(field, std::string(field) + " is not supported.");
  }
  reader.accept("background", false, "Responses cannot be computed in the background.");
  // Reasoning is returned as text, which is what a client needs to send it back.
  const Json* const include = reader.array("include");
  for (size_t i = 0; include != nullptr && i < include->size(); ++i) {
    if ((*include)[i] == "reasoning.encrypted_content") continue;
    reader.fail(unsupported("include", "Only reasoning.encrypted_content may be included."));
  }
}

}  // namespace

std::optional<ApiError> parseResponsesRequest(const std::string& body, ResponsesRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  request.generation.chat.priority = kApiPriority;
  request.generation.model = reader.string("model").value_or(std::string());
  readChat(reader, request);
  readTools(reader, request);
  readText(reader, request);
  readReasoning(reader, request);
  readSampling(reader, request);
  readStream(reader, request);
  refuseStored(reader, request);
  const Json* const metadata = reader.object("metadata");
  request.echo["metadata"] = metadata == nullptr ? Json::object() : *metadata;
  for (const char* field :
       {"user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
        "prompt_cache_options", "service_tier", "client_metadata"}) {
    reader.ignore(field);
  }
  return reader.finish();
}

}  // namespace quire
