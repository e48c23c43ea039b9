#include "app/server/api/message_reader.h"

#include <map>
#include <nlohmann/json.hpp>

#include "app/server/api/json_text.h"
#include "app/server/api/tool_choice_reader.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using PartKind = ContentPart::Kind;

/// The messages read so far know which tool a call was of.
using ToolsOfCalls = std::map<std::string, std::string>;

std::string indexed(const std::string& name, size_t index) {
  return name + "[" + std::to_string(index) + "]";
}

/// The text of a part: {"type": "text", "text": ...}.
void readPart(const Json& part, const std::string& name, FieldReader& parent, std::string& text) {
  FieldReader reader(part, name);
  const std::string type = reader.string("type").value_or("text");
  if (type == "text" || type == "input_text" || type == "output_text") {
    const auto own = reader.string("text");
    if (!own) reader.fail(badField(name + ".text", name + " needs a text."));
    text += own.value_or(std::string());
  } else if (type == "refusal") {
    text += reader.string("refusal").value_or(std::string());
  } else if (!reader.hasFailed()) {
    reader.fail(unsupportedPart(name, type));
  }
  reader.ignore("annotations");
  reader.ignore("cache_control");  // Everything is cached anyway.
  if (auto error = reader.finish()) parent.fail(std::move(*error));
}

/// The text of `content`, a string or an array of parts; nothing if it is not there.
std::optional<std::string> readContent(FieldReader& reader) {
  const Json* const content = reader.any("content");
  if (content == nullptr) return std::nullopt;
  if (content->is_string()) return content->get<std::string>();
  if (!content->is_array()) {
    reader.fail(badField(reader.nameOf("content"),
                         reader.nameOf("content") + " must be a string or an array of parts."));
    return std::nullopt;
  }
  std::string text;
  for (size_t i = 0; i < content->size(); ++i) {
    readPart((*content)[i], indexed(reader.nameOf("content"), i), reader, text);
  }
  return text;
}

void readCall(const Json& call, const std::string& name, FieldReader& parent, ToolsOfCalls& tools,
              std::vector<ContentPart>& parts) {
  FieldReader reader(call, name);
  reader.accept("type", "function", name + ".type must be \"function\".");
  reader.ignore("index");
  ContentPart part = {.kind = PartKind::kToolCall,
                      .call_id = reader.string("id").value_or(std::string())};
  const Json* const function = reader.object("function");
  if (function == nullptr) {
    reader.fail(badField(name + ".function", name + " needs a function."));
    return parent.fail(*reader.finish());
  }
  FieldReader inner(*function, name + ".function");
  part.tool = inner.string("name").value_or(std::string());
  part.text = inner.string("arguments").value_or("{}");
  if (part.tool.empty()) inner.fail(badField(name + ".function.name", name + " needs a name."));
  if (part.text.find_first_not_of(" \t\r\n") == std::string::npos) part.text = "{}";
  const auto arguments = parse_input(part.text, "arguments");
  if (!arguments || !arguments->is_object()) {
    inner.fail(badField(name + ".function.arguments",
                        name + ".function.arguments must be the text of a JSON object."));
  }
  if (auto error = inner.finish()) reader.fail(std::move(*error));
  if (auto error = reader.finish()) return parent.fail(std::move(*error));
  tools[part.call_id] = part.tool;
  parts.push_back(std::move(part));
}

/// What only an assistant's message has. Its parts come in the order of the API's fields.
void readAssistant(FieldReader& reader, ChatTurn& turn, ToolsOfCalls& tools) {
  auto reasoning = reader.string("reasoning_content");
  const auto other = reader.string("reasoning");  // vLLM's and OpenRouter's name.
  if (!reasoning) reasoning = other;
  for (const char* const field : {"refusal", "audio", "function_call"}) {
    reader.refuse(field, std::string(field) + " of a message is not supported.");
  }
  reader.ignore("annotations");
  const auto text = readContent(reader);
  if (text) turn.text = QString::fromStdString(*text);
  std::vector<ContentPart> calls;
  if (const Json* const array = reader.array("tool_calls")) {
    for (size_t i = 0; i < array->size(); ++i) {
      readCall((*array)[i], indexed(reader.nameOf("tool_calls"), i), reader, tools, calls);
    }
  }
  if (!text && calls.empty()) {
    reader.fail(badField(reader.nameOf("content"),
                         reader.nameOf("content") + " is missing; a message needs a text."));
  }
  if (calls.empty() && !reasoning) return;
  if (reasoning) turn.parts.push_back({.kind = PartKind::kReasoning, .text = *reasoning});
  if (text && !text->empty()) turn.parts.push_back({.kind = PartKind::kText, .text = *text});
  for (ContentPart& call : calls) turn.parts.push_back(std::move(call));
}

void readToolResult(FieldReader& reader, ChatTurn& turn, const ToolsOfCalls& tools) {
  ContentPart part = {.kind = PartKind::kToolResult,
                      .text = readContent(reader).value_or(std::string()),
                      .tool = reader.string("name").value_or(std::string()),
                      .call_id = reader.string("tool_call_id").value_or(std::string())};
  const auto known = tools.find(part.call_id);
  if (part.tool.empty() && known != tools.end()) part.tool = known->second;
  turn.text = QString::fromStdString(part.text);
  turn.parts.push_back(std::move(part));
}

ChatTurn readMessage(const Json& message, const std::string& name, FieldReader& parent,
                     ToolsOfCalls& tools) {
  ChatTurn turn;
  FieldReader reader(message, name);
  const std::string role = reader.string("role").value_or(std::string());
  if (role == "assistant") {
    readAssistant(reader, turn, tools);
  } else if (role == "tool") {
    readToolResult(reader, turn, tools);
  } else if (role == "system" || role == "developer" || role == "user") {
    const auto text = readContent(reader);
    if (!text) {
      reader.fail(
          badField(name + ".content", name + ".content is missing; a message needs a text."));
    }
    turn.text = QString::fromStdString(text.value_or(std::string()));
  } else {
    const std::string what = role.empty() ? "missing" : "'" + for_message(role) + "'";
    reader.fail(badField(
        name + ".role",
        name + ".role is " + what + "; it must be system, developer, user, assistant or tool."));
  }
  if (role != "tool") {
    reader.refuse("name", "Names of those who speak are not supported; write them into the text.");
  }
  turn.role = QString::fromStdString(role == "developer" ? "system" : role);
  if (auto error = reader.finish()) parent.fail(std::move(*error));
  return turn;
}

/// One of "tools", of which the template reads everything as it is.
void checkTool(const Json& tool, const std::string& name, FieldReader& parent) {
  FieldReader reader(tool, name);
  reader.accept("type", "function", "Only tools of the type function are supported.");
  const Json* const function = reader.object("function");
  if (function == nullptr) {
    reader.fail(badField(name + ".function", name + " needs a function."));
    return parent.fail(*reader.finish());
  }
  FieldReader inner(*function, name + ".function");
  if (inner.string("name").value_or(std::string()).empty()) {
    inner.fail(badField(name + ".function.name", name + ".function needs a name."));
  }
  static_cast<void>(inner.string("description"));
  static_cast<void>(inner.object("parameters"));
  static_cast<void>(inner.boolean("strict"));
  if (auto error = inner.finish()) reader.fail(std::move(*error));
  if (auto error = reader.finish()) parent.fail(std::move(*error));
}

}  // namespace

ApiError unsupportedPart(const std::string& name, const std::string& type) {
  const std::string what =
      type == "image_url" || type == "input_image" || type == "image" ? "Images are not supported"
      : type == "input_audio"                                         ? "Sound is not supported"
                              : "Parts of the type '" + for_message(type) + "' are not supported";
  return unsupported(name, what + " (" + name + "); send text.");
}

void readMessages(FieldReader& reader, QList<ChatTurn>& turns) {
  const Json* const messages = reader.array("messages");
  if (messages == nullptr || messages->empty()) {
    return reader.fail(badField("messages", "messages must be an array of at least one message."));
  }
  ToolsOfCalls tools;
  for (size_t i = 0; i < messages->size() && !reader.hasFailed(); ++i) {
    turns.append(readMessage((*messages)[i], indexed("messages", i), reader, tools));
  }
}

void readTools(FieldReader& reader, GenerationRequest& request) {
  const Json* const tools = reader.array("tools");
  const bool hasTools = tools != nullptr && !tools->empty();
  const WantedCalls wanted = readToolChoice(reader, /*isFlat=*/false);
  if (wanted.isGiven && !wanted.isNone && !hasTools) {
    reader.fail(badField("tool_choice", "tool_choice needs tools."));
  }
  reader.refuse("functions", "functions is out of date; use tools.");
  reader.refuse("function_call", "function_call is out of date; use tool_choice.");
  if (!hasTools) return;
  for (size_t i = 0; i < tools->size() && !reader.hasFailed(); ++i) {
    checkTool((*tools)[i], indexed("tools", i), reader);
  }
  checkToolNames(reader, *tools);
  if (wanted.isNone) return;
  request.chat.prompt.tools = jsonText(*tools);
  request.findsToolCalls = true;
  constrainCalls(reader, *tools, wanted.choice, request);
}

}  // namespace quire
