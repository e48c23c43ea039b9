#include "app/server/api/ollama_requests.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/server/api/block_reader.h"
#include "app/server/api/json_text.h"
#include "app/server/api/ollama_options.h"
#include "app/server/api/tool_choice_reader.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

void refuseImages(FieldReader& reader) {
  const Json* const images = reader.array("images");
  if (images == nullptr || images->empty()) return;
  reader.fail(unsupported(reader.nameOf("images"), "Images are not supported; send text."));
}

void readCall(const Json& call, const std::string& name, FieldReader& parent, TurnBuilder& turns) {
  FieldReader reader(call, name);
  const std::string id = reader.string("id").value_or(std::string());
  reader.accept("type", "function", name + ".type must be \"function\".");
  const Json* const function = reader.object("function");
  if (function == nullptr) {
    reader.fail(badField(name + ".function", name + " needs a function."));
    return parent.fail(*reader.finish());
  }
  FieldReader inner(*function, name + ".function");
  const std::string tool = inner.string("name").value_or(std::string());
  if (tool.empty()) inner.fail(badField(name + ".function.name", name + " needs a name."));
  inner.ignore("index");
  const Json* const arguments = inner.object("arguments");
  turns.addCall(id, tool, arguments == nullptr ? "{}" : jsonText(*arguments));
  if (auto error = inner.finish()) reader.fail(std::move(*error));
  if (auto error = reader.finish()) parent.fail(std::move(*error));
}

void readAssistant(FieldReader& reader, const std::string& text, TurnBuilder& turns) {
  if (const auto thinking = reader.string("thinking"); thinking && !thinking->empty()) {
    turns.addReasoning(*thinking);
  }
  const Json* const calls = reader.array("tool_calls");
  const bool hasCalls = calls != nullptr && !calls->empty();
  if (!text.empty() || !hasCalls) turns.addText("assistant", text);
  for (size_t i = 0; hasCalls && i < calls->size() && !reader.hasFailed(); ++i) {
    readCall((*calls)[i], indexedName(reader.nameOf("tool_calls"), i), reader, turns);
  }
}

void readResult(FieldReader& reader, const std::string& text, TurnBuilder& turns) {
  const auto older = reader.string("name");
  const std::string tool = reader.string("tool_name").value_or(older.value_or(std::string()));
  const std::string id = reader.string("tool_call_id").value_or(std::string());
  if (!reader.hasFailed() && !turns.addResult(id, tool, text)) {
    reader.fail(badField(reader.nameOf("tool_name"),
                         reader.nameOf("tool_name") + " is that of no tool call before it."));
  }
}

void readMessage(const Json& message, const std::string& name, FieldReader& parent,
                 TurnBuilder& turns) {
  FieldReader reader(message, name);
  const std::string role = reader.string("role").value_or(std::string());
  const std::string text = reader.string("content").value_or(std::string());
  refuseImages(reader);
  turns.endTurn();
  if (role == "assistant") {
    readAssistant(reader, text, turns);
  } else if (role == "tool") {
    readResult(reader, text, turns);
  } else if (role == "system" || role == "user") {
    turns.addText(role, text);
  } else if (!reader.hasFailed()) {
    reader.fail(badField(name + ".role", name + ".role is '" + for_message(role) +
                                             "'; it must be system, user, assistant or tool."));
  }
  if (auto error = reader.finish()) parent.fail(std::move(*error));
}

/// Tools as in OpenAI's chats, checked and passed on as they are.
void readTools(FieldReader& reader, GenerationRequest& request) {
  const Json* const tools = reader.array("tools");
  if (tools == nullptr || tools->empty()) return;
  for (size_t i = 0; i < tools->size() && !reader.hasFailed(); ++i) {
    const std::string name = indexedName("tools", i);
    FieldReader outer((*tools)[i], name);
    outer.accept("type", "function", "Only tools of the type function are supported.");
    const Json* const function = outer.object("function");
    if (function == nullptr) {
      outer.fail(badField(name + ".function", name + " needs a function."));
    } else {
      FieldReader inner(*function, name + ".function");
      static_cast<void>(chatTool(inner, "parameters"));
      if (auto error = inner.finish()) outer.fail(std::move(*error));
    }
    if (auto error = outer.finish()) reader.fail(std::move(*error));
  }
  checkToolNames(reader, *tools);
  request.chat.prompt.tools = jsonText(*tools);
  request.findsToolCalls = true;
}

/// A field that is accepted while it is empty.
void refuseUnlessEmpty(FieldReader& reader, const char* field, const std::string& why) {
  const Json* const value = reader.any(field);
  if (value != nullptr && !value->empty() && *value != "") {
    reader.fail(unsupported(field, why));
  }
}

}  // namespace

std::optional<ApiError> parseOllamaChat(const std::string& body, OllamaRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  readOllamaCommon(reader, request);
  TurnBuilder turns;
  const Json* const messages = reader.array("messages");
  for (size_t i = 0; messages != nullptr && i < messages->size() && !reader.hasFailed(); ++i) {
    readMessage((*messages)[i], indexedName("messages", i), reader, turns);
  }
  ChatRequest& chat = request.generation.chat;
  chat.turns = turns.take();
  request.isLoadOnly = chat.turns.isEmpty();
  // As Ollama does: an assistant's message at the end is continued.
  chat.continueAnswer = chat.turns.size() > 1 &&
                        chat.turns.last().role == QLatin1String("assistant") &&
                        !chat.turns.last().text.isEmpty();
  readTools(reader, request.generation);
  return reader.finish();
}

std::optional<ApiError> parseOllamaGenerate(const std::string& body, OllamaRequest& request) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  request.isChat = false;
  readOllamaCommon(reader, request);
  const std::string prompt = reader.string("prompt").value_or(std::string());
  const std::string system = reader.string("system").value_or(std::string());
  GenerationRequest& generation = request.generation;
  request.isLoadOnly = prompt.empty();
  if (reader.boolean("raw").value_or(false)) {
    if (!system.empty()) reader.fail(badField("system", "A raw prompt has no system prompt."));
    generation.prompts.push_back({.text = QString::fromStdString(prompt), .tokens = {}});
    generation.splitsReasoning = false;
  } else {
    TurnBuilder turns;
    if (!system.empty()) turns.addText("system", system);
    turns.addText("user", prompt);
    generation.chat.turns = turns.take();
  }
  refuseImages(reader);
  refuseUnlessEmpty(reader, "suffix", "suffix is not supported.");
  refuseUnlessEmpty(reader, "template", "Only the model's own chat template is supported.");
  refuseUnlessEmpty(reader, "context", "context is out of date; send the chat to /api/chat.");
  return reader.finish();
}

}  // namespace quire
