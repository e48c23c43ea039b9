#include "app/server/api/openai_requests.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/server/api/json_text.h"
#include "app/server/api/message_reader.h"
#include "app/server/api/sampling_reader.h"
#include "app/server/api/tool_choice_reader.h"
#include "engine/io/text.h"
#include "engine/sampling/sampling_fields.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDefaultCompletionTokens = 16;  // OpenAI's and vLLM's.

/// max_completion_tokens, or its older name.
std::optional<int> readMaxTokens(FieldReader& reader) {
  const auto tokens = reader.integer("max_completion_tokens", 1, kMaxTokens);
  const auto older = reader.integer("max_tokens", 1, kMaxTokens);
  if (tokens && older && *tokens != *older) {
    reader.fail(badField("max_tokens", "max_tokens and max_completion_tokens differ; give one."));
  }
  const auto chosen = tokens ? tokens : older;
  return chosen ? std::optional(static_cast<int>(*chosen)) : std::nullopt;
}

/// logprobs and top_logprobs of chats, as the number of likeliest tokens; -1: none.
int readChatLogprobs(FieldReader& reader) {
  const bool isWanted = reader.boolean("logprobs").value_or(false);
  const auto top = reader.integer("top_logprobs", 0, kMaxLogprobs);
  if (top && *top > 0 && !isWanted) {
    reader.fail(badField("top_logprobs", "top_logprobs needs logprobs to be true."));
  }
  return isWanted ? static_cast<int>(top.value_or(0)) : -1;
}

void refuseOtherChatFields(FieldReader& reader) {
  const Json* const modalities = reader.any("modalities");
  if (modalities != nullptr && *modalities != Json::array({"text"})) {
    reader.fail(unsupported("modalities", "Answers are text only."));
  }
  reader.refuse("audio", "Sound is not supported.");
  reader.refuse("web_search_options", "Searching the web is not supported.");
  reader.refuse("prediction", "Predicted outputs are not supported.");
  reader.accept("verbosity", "medium", "verbosity is not supported.");
  reader.accept("add_special_tokens", false, "Special tokens are the template's.");
  reader.accept("echo", false, "echo is not supported.");
  reader.accept("include_reasoning", true, "Reasoning is always included.");
}

/// The one text of a prompt, or its tokens.
RawPrompt readPrompt(FieldReader& reader, const Json& value, const std::string& name) {
  RawPrompt prompt;
  if (value.is_string()) {
    prompt.text = QString::fromStdString(value.get_ref<const std::string&>());
  } else if (value.is_array() && !value.empty()) {
    prompt.tokens = readTokens(reader, value, name);
  } else {
    reader.fail(badField(name, name + " must be a text, or an array of token ids."));
  }
  if (prompt.text.isEmpty() && prompt.tokens.isEmpty()) {
    reader.fail(badField(name, name + " is empty."));
  }
  return prompt;
}

/// Log probabilities that only best_of needs are computed, too.
void setLogprobs(OpenAiRequest& request, int numLogprobs) {
  request.numLogprobs = numLogprobs;
  const int least = request.generation.numSampled > 0 ? 0 : -1;
  request.generation.chat.sampling.num_logprobs = std::max(numLogprobs, least);
}

}  // namespace

std::vector<RawPrompt> readPrompts(FieldReader& reader, const std::string& field) {
  const Json* const value = reader.any(field);
  if (value == nullptr) {
    reader.fail(badField(field, field + " is missing."));
    return {};
  }
  const bool isList = value->is_array() && !value->empty() && !value->front().is_number();
  if (!isList) return {readPrompt(reader, *value, field)};
  if (value->size() > kMaxInputs) {
    reader.fail(badField(field, field + " has " + with_separators(value->size()) +
                                    " texts; at most " + with_separators(kMaxInputs) +
                                    " are allowed."));
    return {};
  }
  std::vector<RawPrompt> prompts;
  for (size_t i = 0; i < value->size() && !reader.hasFailed(); ++i) {
    prompts.push_back(readPrompt(reader, (*value)[i], field + "[" + std::to_string(i) + "]"));
  }
  return prompts;
}

AnswerFormat readFormat(FieldReader& reader) {
  AnswerFormat format;
  const Json* const object = reader.object("response_format");
  if (object == nullptr) return format;
  FieldReader inner(*object, "response_format");
  const std::string type = inner.string("type").value_or(std::string());
  if (type == "json_object") {
    format.kind = AnswerFormat::Kind::kJson;
  } else if (type == "json_schema") {
    format.kind = AnswerFormat::Kind::kJsonSchema;
    const Json* const described = inner.object("json_schema");
    const Json none = Json::object();
    FieldReader schema(described == nullptr ? none : *described, "response_format.json_schema");
    for (const char* const field : {"name", "description", "strict"}) schema.ignore(field);
    const Json* const own = schema.object("schema");
    if (own == nullptr) {
      schema.fail(badField("response_format.json_schema.schema",
                           "response_format.json_schema needs a schema."));
    } else {
      format.schema = jsonText(*own);
    }
    if (auto error = schema.finish()) inner.fail(std::move(*error));
  } else if (type != "text") {
    inner.fail(badField("response_format.type",
                        "response_format.type must be text, json_object or json_schema."));
  }
  if (auto error = inner.finish()) reader.fail(std::move(*error));
  return format;
}

void readTemplateOptions(FieldReader& reader, ChatRequest& chat) {
  Json variables = Json::object();
  if (const Json* const given = reader.object("chat_template_kwargs")) variables = *given;
  if (const auto effort = reader.string("reasoning_effort")) {
    constexpr std::array kEfforts = {"none", "minimal", "low", "medium", "high", "xhigh"};
    if (std::ranges::find(kEfforts, *effort) == kEfforts.end()) {
      reader.fail(badField("reasoning_effort",
                           "reasoning_effort must be none, minimal, low, medium, high or xhigh."));
    }
    variables["reasoning_effort"] = *effort;
    if (*effort == "none") variables["enable_thinking"] = false;
  }
  if (!variables.empty()) chat.prompt.variables = jsonText(variables);
  reader.refuse("chat_template", "Only the model's own chat template is supported.");
  reader.refuse("documents", "documents is not supported; write them into a message.");
  const auto adds = reader.boolean("add_generation_prompt");
  chat.continueAnswer = reader.boolean("continue_final_message").value_or(false);
  if (!chat.continueAnswer) {
    chat.prompt.add_generation_prompt = adds.value_or(true);
  } else if (adds.value_or(false)) {
    reader.fail(badField("continue_final_message",
                         "continue_final_message and add_generation_prompt exclude each other."));
  } else if (chat.turns.size() < 2 || chat.turns.last().role != QLatin1String("assistant")) {
    reader.fail(badField("continue_final_message",
                         "continue_final_message needs an assistant's message at the end, after "
                         "others."));
  }
}

std::optional<ApiError> parseChatRequest(const std::string& body, OpenAiRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  GenerationRequest& generation = request.generation;
  generation.chat.dropsOldTurns = false;
  readSampling(reader, generation);
  readMessages(reader, generation.chat.turns);
  readTools(reader, generation);
  readTemplateOptions(reader, generation.chat);
  setFormat(reader, "response_format.json_schema.schema", readFormat(reader), generation);
  generation.open.maxTokens = readMaxTokens(reader);
  generation.splitsReasoning = true;
  request.stream = readStream(reader);
  readBestOf(reader, request.stream, generation);
  setLogprobs(request, readChatLogprobs(reader));
  refuseOtherChatFields(reader);
  return reader.finish();
}

std::optional<ApiError> parseCompletionRequest(const std::string& body, OpenAiRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  GenerationRequest& generation = request.generation;
  readSampling(reader, generation);
  generation.prompts = readPrompts(reader, "prompt");
  generation.open.maxTokens = static_cast<int>(
      reader.integer("max_tokens", 1, kMaxTokens).value_or(kDefaultCompletionTokens));
  generation.splitsReasoning = false;
  setFormat(reader, "response_format.json_schema.schema", readFormat(reader), generation);
  request.stream = readStream(reader);
  readBestOf(reader, request.stream, generation);
  setLogprobs(request, static_cast<int>(reader.integer("logprobs", 0, kMaxLogprobs).value_or(-1)));
  generation.echoesPrompt = reader.boolean("echo").value_or(false);
  if (generation.echoesPrompt && request.numLogprobs >= 0) {
    reader.fail(unsupported("logprobs",
                            "logprobs is not supported together with echo: log probabilities of "
                            "the prompt are not computed."));
  }
  reader.accept("suffix", "", "suffix is not supported.");
  reader.accept("add_special_tokens", true, "The model's own special tokens are always added.");
  reader.refuse("prompt_logprobs", "Log probabilities of the prompt are not supported.");
  return reader.finish();
}

}  // namespace quire
