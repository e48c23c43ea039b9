#include "app/server/api/responses_items.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/server/api/message_reader.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// A text, or an array of parts with texts of these types, joined line by line.
std::string readPartTexts(FieldReader& parent, const std::string& field,
                          std::initializer_list<std::string_view> types) {
  const Json* const value = parent.any(field);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  const std::string name = parent.nameOf(field);
  if (!value->is_array()) {
    parent.fail(badField(name, name + " must be a text or an array of parts."));
    return {};
  }
  std::string text;
  for (size_t i = 0; i < value->size() && !parent.hasFailed(); ++i) {
    const std::string own = indexedName(name, i);
    FieldReader reader((*value)[i], own);
    const std::string type = reader.string("type").value_or(std::string());
    if (std::ranges::find(types, type) == types.end() && !reader.hasFailed()) {
      reader.fail(unsupportedPart(own, type));
    }
    const char* const content = type == "refusal" ? "refusal" : "text";
    if (i > 0) text += '\n';
    text += reader.string(content).value_or(std::string());
    for (const char* ignored : {"annotations", "logprobs"}) reader.ignore(ignored);
    if (auto error = reader.finish()) parent.fail(std::move(*error));
  }
  return text;
}

void readMessageItem(FieldReader& reader, const std::string& name, TurnBuilder& turns) {
  const std::string role = reader.string("role").value_or(std::string());
  const bool isKnown =
      role == "user" || role == "assistant" || role == "system" || role == "developer";
  if (!isKnown && !reader.hasFailed()) {
    reader.fail(
        badField(name + ".role", name + ".role is '" + for_message(role) +
                                     "'; it must be user, assistant, system or developer."));
  }
  if (reader.any("content") == nullptr && !reader.hasFailed()) {
    reader.fail(badField(name + ".content", name + ".content is missing."));
  }
  reader.ignore("phase");
  // An assistant's reasoning and calls belong to its message.
  if (role != "assistant") turns.endTurn();
  turns.addText(role == "developer" ? "system" : role,
                readPartTexts(reader, "content", {"input_text", "output_text", "text", "refusal"}));
}

void readCallItem(FieldReader& reader, const std::string& name, TurnBuilder& turns) {
  const std::string tool = reader.string("name").value_or(std::string());
  const std::string id = reader.string("call_id").value_or(std::string());
  const std::string arguments = reader.string("arguments").value_or("{}");
  reader.ignore("caller");
  reader.refuse("namespace", "Namespaces of tools are not supported.");
  const auto parsed = parse_input(arguments, "arguments");
  if (tool.empty() || id.empty()) {
    reader.fail(badField(name, name + " needs a name and a call_id."));
  } else if (!parsed || !parsed->is_object()) {
    reader.fail(
        badField(name + ".arguments", name + ".arguments must be the text of a JSON object."));
  } else {
    turns.addCall(id, tool, arguments);
  }
}

void readOutputItem(FieldReader& reader, const std::string& name, TurnBuilder& turns) {
  const std::string id = reader.string("call_id").value_or(std::string());
  for (const char* field : {"caller", "name"}) reader.ignore(field);  // The call's own hold.
  reader.refuse("namespace", "Namespaces of tools are not supported.");
  const std::string text = readPartTexts(reader, "output", {"input_text", "output_text", "text"});
  if (reader.hasFailed()) return;
  if (id.empty() || !turns.addResult(id, {}, text)) {
    reader.fail(badField(name + ".call_id", name + ".call_id is that of no call before it."));
  }
}

void readReasoningItem(FieldReader& reader, TurnBuilder& turns) {
  const std::string text = readPartTexts(reader, "content", {"reasoning_text"});
  const std::string summary = readPartTexts(reader, "summary", {"summary_text"});
  if (reader.any("encrypted_content") != nullptr && text.empty() && summary.empty()) {
    reader.fail(unsupported(reader.nameOf("encrypted_content"),
                            "Encrypted reasoning cannot be read here."));
  }
  const std::string& chosen = text.empty() ? summary : text;
  if (!chosen.empty()) turns.addReasoning(chosen);
}

void readItem(const Json& item, const std::string& name, FieldReader& parent, TurnBuilder& turns) {
  FieldReader reader(item, name);
  const std::string type = reader.string("type").value_or("message");
  reader.ignore("id");
  reader.ignore("status");
  if (type == "message") {
    readMessageItem(reader, name, turns);
  } else if (type == "function_call") {
    readCallItem(reader, name, turns);
  } else if (type == "function_call_output") {
    readOutputItem(reader, name, turns);
  } else if (type == "reasoning") {
    readReasoningItem(reader, turns);
  } else if (!reader.hasFailed()) {
    reader.fail(unsupported(
        name, "Items of the type '" + for_message(type) + "' are not supported (" + name + ")."));
  }
  if (auto error = reader.finish()) parent.fail(std::move(*error));
}

}  // namespace

void readInputItems(FieldReader& reader, TurnBuilder& turns) {
  const Json* const input = reader.any("input");
  if (input != nullptr && input->is_string())
    return turns.addText("user", input->get<std::string>());
  if (input == nullptr || !input->is_array() || input->empty()) {
    return reader.fail(badField("input", "input must be a text or an array of at least one item."));
  }
  for (size_t i = 0; i < input->size() && !reader.hasFailed(); ++i) {
    readItem((*input)[i], indexedName("input", i), reader, turns);
  }
}

}  // namespace quire
