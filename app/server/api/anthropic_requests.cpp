#include "app/server/api/anthropic_requests.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/server/api/block_reader.h"
#include "app/server/api/field_reader.h"
#include "app/server/api/json_text.h"
#include "app/server/api/sampling_reader.h"
#include "app/server/api/tool_choice_reader.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxStops = 64;
constexpr int64_t kLeastThinkingTokens = 1024;  // Anthropic's.

void failUnsupportedBlock(FieldReader& reader, const std::string& name, const std::string& type) {
  const bool isImage = type == "image";
  reader.fail(unsupported(name, isImage ? "Images are not supported (" + name + "); send text."
                                        : "Blocks of the type '" + for_message(type) +
                                              "' are not supported here (" + name + ")."));
}

/// A text, or an array of text blocks, which are joined line by line. Null: empty.
std::string readTexts(FieldReader& parent, const std::string& field) {
  const Json* const value = parent.any(field);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  const std::string name = parent.nameOf(field);
  if (!value->is_array()) {
    parent.fail(badField(name, name + " must be a text or an array of blocks."));
    return {};
  }
  std::string text;
  for (size_t i = 0; i < value->size(); ++i) {
    FieldReader reader((*value)[i], indexedName(name, i));
    const std::string type = reader.string("type").value_or(std::string());
    if (!reader.hasFailed() && type != "text") {
      failUnsupportedBlock(reader, indexedName(name, i), type);
    }
    if (i > 0) text += '\n';
    text += reader.string("text").value_or(std::string());
    reader.ignore("cache_control");
    reader.ignore("citations");
    if (auto error = reader.finish()) parent.fail(std::move(*error));
  }
  return text;
}

void readToolUse(FieldReader& reader, TurnBuilder& turns) {
  const std::string id = reader.string("id").value_or(std::string());
  const std::string name = reader.string("name").value_or(std::string());
  const Json* const input = reader.object("input");
  reader.ignore("caller");
  reader.refuse("toolset_name", "Toolsets are not supported.");
  if (id.empty() || name.empty()) {
    return reader.fail(badField(reader.nameOf("id"), "A tool_use needs an id and a name."));
  }
  turns.addCall(id, name, input == nullptr ? "{}" : jsonText(*input));
}

void readToolResult(FieldReader& reader, TurnBuilder& turns) {
  const std::string id = reader.string("tool_use_id").value_or(std::string());
  reader.refuse("toolset_name", "Toolsets are not supported.");
  std::string text = readTexts(reader, "content");
  // Templates have no field for it.
  if (reader.boolean("is_error").value_or(false)) text = "Error: " + text;
  if (reader.hasFailed()) return;
  if (id.empty() || !turns.addResult(id, {}, text)) {
    reader.fail(badField(reader.nameOf("tool_use_id"),
                         reader.nameOf("tool_use_id") + " is that of no tool_use before it."));
  }
}

/// One block of a message.
void readBlock(FieldReader& reader, const std::string& name, const std::string& role,
               TurnBuilder& turns) {
  const std::string type = reader.string("type").value_or(std::string());
  const bool isAnswer = role == "assistant";
  reader.ignore("cache_control");
  if (type == "text") {
    const auto text = reader.string("text");
    reader.ignore("citations");
    if (!text && !reader.hasFailed())
      reader.fail(badField(name + ".text", name + " needs a text."));
    turns.addText(role, text.value_or(std::string()));
  } else if (type == "thinking" && isAnswer) {
    turns.addReasoning(reader.string("thinking").value_or(std::string()));
    reader.ignore("signature");
  } else if (type == "tool_use" && isAnswer) {
    readToolUse(reader, turns);
  } else if (type == "tool_result" && !isAnswer) {
    readToolResult(reader, turns);
  } else if (!reader.hasFailed()) {
    failUnsupportedBlock(reader, name, type);
  }
}

void readMessage(const Json& message, const std::string& name, FieldReader& parent,
                 TurnBuilder& turns) {
  FieldReader reader(message, name);
  const std::string role = reader.string("role").value_or(std::string());
  if (!reader.hasFailed() && role != "user" && role != "assistant") {
    reader.fail(badField(name + ".role", name + ".role must be user or assistant."));
  }
  turns.endTurn();
  const Json* const content = reader.any("content");
  if (content != nullptr && content->is_string()) {
    turns.addText(role, content->get<std::string>());
  } else if (content != nullptr && content->is_array() && !content->empty()) {
    for (size_t i = 0; i < content->size() && !reader.hasFailed(); ++i) {
      const std::string own = indexedName(name + ".content", i);
      FieldReader block((*content)[i], own);
      readBlock(block, own, role, turns);
      if (auto error = block.finish()) reader.fail(std::move(*error));
    }
  } else if (!reader.hasFailed()) {
    reader.fail(badField(name + ".content",
                         name + ".content must be a text or an array of at least one block."));
  }
  if (auto error = reader.finish()) parent.fail(std::move(*error));
}

void readMessages(FieldReader& reader, ChatRequest& chat) {
  TurnBuilder turns;
  const std::string system = readTexts(reader, "system");
  if (!system.empty()) turns.addText("system", system);
  const Json* const messages = reader.array("messages");
  if (messages == nullptr || messages->empty()) {
    return reader.fail(badField("messages", "messages must be an array of at least one message."));
  }
  for (size_t i = 0; i < messages->size() && !reader.hasFailed(); ++i) {
    readMessage((*messages)[i], indexedName("messages", i), reader, turns);
  }
  chat.turns = turns.take();
  if (chat.turns.isEmpty() || chat.turns.last().role != QLatin1String("assistant")) return;
  const auto isText = [](const ContentPart& part) { return part.kind == ContentPart::Kind::kText; };
  if (chat.turns.size() < 2 || !std::ranges::all_of(chat.turns.last().parts, isText)) {
    return reader.fail(badField("messages",
                                "An assistant's message at the end is continued; it must be text, "
                                "after a user's message."));
  }
  chat.continueAnswer = true;
}

/// tool_choice: auto, any, tool or none.
WantedCalls readWantedCalls(FieldReader& reader) {
  WantedCalls wanted;
  const Json* const choice = reader.object("tool_choice");
  if (choice == nullptr) return wanted;
  FieldReader inner(*choice, "tool_choice");
  const std::string type = inner.string("type").value_or(std::string());
  wanted.isNone = type == "none";
  wanted.choice.is_required = type == "any" || type == "tool";
  if (type == "tool") {
    wanted.choice.name = inner.string("name").value_or(std::string());
    if (wanted.choice.name.empty()) {
      inner.fail(badField("tool_choice.name", "tool_choice.name is missing."));
    }
  }
  if (!inner.hasFailed() && type != "auto" && !wanted.isNone && !wanted.choice.is_required) {
    inner.fail(badField("tool_choice.type", "tool_choice.type must be auto, any, tool or none."));
  }
  const bool isOne = inner.boolean("disable_parallel_tool_use").value_or(false);
  wanted.choice.allows_more = !isOne && type != "tool";
  if (auto error = inner.finish()) reader.fail(std::move(*error));
  return wanted;
}

void readTools(FieldReader& reader, GenerationRequest& request) {
  const Json* const tools = reader.array("tools");
  const WantedCalls wanted = readWantedCalls(reader);
  if (wanted.choice.is_required && (tools == nullptr || tools->empty())) {
    return reader.fail(badField("tool_choice", "tool_choice needs tools."));
  }
  if (tools == nullptr || tools->empty()) return;
  Json list = Json::array();
  for (size_t i = 0; i < tools->size() && !reader.hasFailed(); ++i) {
    FieldReader inner((*tools)[i], indexedName("tools", i));
    inner.accept("type", "custom", "Only tools of the type custom are supported.");
    inner.ignore("cache_control");
    inner.ignore("eager_input_streaming");
    inner.ignore("input_examples");
    const bool isStrict = inner.boolean("strict").value_or(false);
    inner.accept("defer_loading", false, "All tools are told to the model at once.");
    inner.accept("allowed_callers", Json::array({"direct"}), "Tools are called by the model only.");
    list.push_back(chatTool(inner, "input_schema"));
    if (isStrict) list.back()["function"]["strict"] = true;
    if (auto error = inner.finish()) reader.fail(std::move(*error));
  }
  checkToolNames(reader, list);
  if (wanted.isNone) return;
  request.chat.prompt.tools = jsonText(list);
  request.findsToolCalls = true;
  constrainCalls(reader, list, wanted.choice, request);
}

/// thinking: what the template is told. Without it the model does what its template says.
void readThinking(FieldReader& reader, ChatRequest& chat, std::optional<int64_t> maxTokens) {
  const Json* const thinking = reader.object("thinking");
  if (thinking == nullptr) return;
  FieldReader inner(*thinking, "thinking");
  const std::string type = inner.string("type").value_or(std::string());
  const auto budget = inner.integer("budget_tokens", kLeastThinkingTokens, kMaxTokens);
  inner.ignore("display");
  if (!inner.hasFailed() && type != "enabled" && type != "disabled" && type != "adaptive") {
    inner.fail(badField("thinking.type", "thinking.type must be enabled, disabled or adaptive."));
  }
  if (budget && maxTokens && *budget >= *maxTokens) {
    inner.fail(
        badField("thinking.budget_tokens", "thinking.budget_tokens must be less than max_tokens."));
  }
  if (auto error = inner.finish()) return reader.fail(std::move(*error));
  setTemplateVariable(chat, "enable_thinking", type != "disabled");
}

/// output_config: what the template is told, and the schema that the answer must keep.
void readOutputConfig(FieldReader& reader, GenerationRequest& request) {
  const Json* const config = reader.object("output_config");
  if (config == nullptr) return;
  FieldReader inner(*config, "output_config");
  if (const auto effort = inner.string("effort")) {
    constexpr std::array kEfforts = {"low", "medium", "high", "xhigh", "max"};
    if (std::ranges::find(kEfforts, *effort) == kEfforts.end()) {
      inner.fail(badField("output_config.effort",
                          "output_config.effort must be low, medium, high, xhigh or max."));
    }
    setTemplateVariable(request.chat, "reasoning_effort", *effort);
  }
  if (const Json* const format = inner.object("format")) {
    FieldReader own(*format, "output_config.format");
    own.accept("type", "json_schema", "output_config.format.type must be json_schema.");
    const Json* const schema = own.object("schema");
    if (schema == nullptr) {
      own.fail(badField("output_config.format.schema", "output_config.format needs a schema."));
    } else {
      setFormat(own, "output_config.format.schema",
                {.kind = AnswerFormat::Kind::kJsonSchema, .schema = jsonText(*schema)}, request);
    }
    if (auto error = own.finish()) inner.fail(std::move(*error));
  }
  if (auto error = inner.finish()) reader.fail(std::move(*error));
}

void readStops(FieldReader& reader, MessagesRequest& request) {
  const Json* const stops = reader.array("stop_sequences");
  if (stops == nullptr) return;
  for (const Json& stop : *stops) {
    const bool isText = stop.is_string() && !stop.get_ref<const std::string&>().empty();
    if (!isText || request.stops.size() == kMaxStops) {
      return reader.fail(badField("stop_sequences",
                                  "stop_sequences must be at most 64 texts that are not empty."));
    }
    request.stops.push_back(stop.get<std::string>());
  }
  request.generation.chat.sampling.stop = request.stops;
}

std::optional<float> floatOf(const std::optional<double>& number) {
  return number ? std::optional(static_cast<float>(*number)) : std::nullopt;
}

void readSampling(FieldReader& reader, MessagesRequest& request) {
  OpenSampling& open = request.generation.open;
  open.temperature = floatOf(reader.number("temperature", 0.0, 1.0));
  open.topP = floatOf(reader.number("top_p", 0.0, 1.0));
  if (open.topP == 0.0f) reader.fail(badField("top_p", "top_p must be more than 0."));
  if (const auto k = reader.integer("top_k", 0, kMaxTokens)) open.topK = static_cast<int>(*k);
  readStops(reader, request);
  request.isStreamed = reader.boolean("stream").value_or(false);
}

/// What both endpoints read.
void readChat(FieldReader& reader, MessagesRequest& request, std::optional<int64_t> maxTokens) {
  GenerationRequest& generation = request.generation;
  generation.chat.dropsOldTurns = false;
  generation.chat.priority = kApiPriority;
  generation.model = reader.string("model").value_or(std::string());
  readMessages(reader, generation.chat);
  readTools(reader, generation);
  readThinking(reader, generation.chat, maxTokens);
  readOutputConfig(reader, generation);
  for (const char* field :
       {"container", "mcp_servers", "context_management", "output_format", "diagnostics"}) {
    reader.refuse(field, std::string(field) + " is not supported.");
  }
  reader.accept("speed", "standard", "There is one speed: standard.");
  // They cannot change an answer.
  for (const char* field : {"metadata", "service_tier", "cache_control", "inference_geo",
                            "user_profile_id", "workspace_id"}) {
    reader.ignore(field);
  }
}

}  // namespace

std::optional<ApiError> parseMessagesRequest(const std::string& body, MessagesRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  const auto maxTokens = reader.integer("max_tokens", 1, kMaxTokens);
  if (!maxTokens) reader.fail(badField("max_tokens", "max_tokens is missing."));
  request.generation.open.maxTokens = static_cast<int>(maxTokens.value_or(1));
  readChat(reader, request, maxTokens);
  readSampling(reader, request);
  return reader.finish();
}

std::optional<ApiError> parseCountRequest(const std::string& body, MessagesRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  readChat(reader, request, std::nullopt);
  return reader.finish();
}

}  // namespace quire
