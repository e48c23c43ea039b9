#include "app/server/api/block_reader.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/server/api/json_text.h"
#include "engine/chat/tool_calls.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;
using PartKind = ContentPart::Kind;

}  // namespace

std::string indexedName(const std::string& name, size_t index) {
  return name + "[" + std::to_string(index) + "]";
}

ChatTurn& TurnBuilder::turnOf(const std::string& role) {
  const QString name = QString::fromStdString(role);
  if (!m_isOpen || m_turns.isEmpty() || m_turns.last().role != name) {
    ChatTurn turn;
    turn.role = name;
    m_turns.append(turn);
  }
  m_isOpen = true;
  return m_turns.last();
}

void TurnBuilder::addText(const std::string& role, const std::string& text) {
  ChatTurn& turn = turnOf(role);
  const bool follows = !turn.parts.empty() && turn.parts.back().kind == PartKind::kText;
  ContentPart part = {.kind = PartKind::kText, .text = text};
  if (follows) part.text.insert(0, 1, '\n');
  turn.parts.push_back(std::move(part));
}

void TurnBuilder::addReasoning(const std::string& text) {
  turnOf("assistant").parts.push_back({.kind = PartKind::kReasoning, .text = text});
}

void TurnBuilder::addCall(std::string id, const std::string& name, const std::string& arguments) {
  if (id.empty()) id = new_tool_call_id();
  m_byId.try_emplace(id, m_calls.size());
  m_ofTools[std::string()].indices.push_back(m_calls.size());
  if (!name.empty()) m_ofTools[name].indices.push_back(m_calls.size());
  m_calls.push_back({.id = id, .tool = name});
  turnOf("assistant")
      .parts.push_back(
          {.kind = PartKind::kToolCall, .text = arguments, .tool = name, .call_id = std::move(id)});
}

TurnBuilder::Call* TurnBuilder::callWithId(const std::string& id) {
  const auto found = m_byId.find(id);
  return found == m_byId.end() ? nullptr : &m_calls[found->second];
}

/// The first call of that tool, or of any if it is empty, that has no result. Null: there is none.
TurnBuilder::Call* TurnBuilder::openCallOf(const std::string& tool) {
  const auto found = m_ofTools.find(tool);
  if (found == m_ofTools.end()) return nullptr;
  auto& [indices, next] = found->second;
  while (next < indices.size() && m_calls[indices[next]].isAnswered) ++next;
  return next == indices.size() ? nullptr : &m_calls[indices[next]];
}

bool TurnBuilder::addResult(const std::string& id, const std::string& tool,
                            const std::string& text) {
  Call* const call = id.empty() ? openCallOf(tool) : callWithId(id);
  if (call == nullptr) return false;
  call->isAnswered = true;
  endTurn();
  turnOf("tool").parts.push_back(
      {.kind = PartKind::kToolResult, .text = text, .tool = call->tool, .call_id = call->id});
  endTurn();
  return true;
}

QList<ChatTurn> TurnBuilder::take() {
  for (ChatTurn& turn : m_turns) {
    std::string text;
    for (const ContentPart& part : turn.parts) {
      if (part.kind == PartKind::kText || part.kind == PartKind::kToolResult) text += part.text;
    }
    turn.text = QString::fromStdString(text);
  }
  m_isOpen = false;
  m_calls.clear();
  m_byId.clear();
  m_ofTools.clear();
  return std::exchange(m_turns, {});
}

void setTemplateVariable(ChatRequest& chat, const std::string& name, const Json& value) {
  // Written by this function, so it is an object.
  Json variables = Json::parse(chat.prompt.variables, nullptr, /*allow_exceptions=*/false);
  if (!variables.is_object()) variables = Json::object();
  variables[name] = value;
  chat.prompt.variables = jsonText(variables);
}

Json chatTool(FieldReader& reader, const std::string& schemaField) {
  const std::string name = reader.string("name").value_or(std::string());
  if (name.empty()) reader.fail(badField(reader.nameOf("name"), "A tool needs a name."));
  Json function = {{"name", name}};
  function["description"] = reader.string("description").value_or(std::string());
  const Json* const schema = reader.object(schemaField);
  function["parameters"] = schema == nullptr ? Json::object({{"type", "object"}}) : *schema;
  return {{"type", "function"}, {"function", std::move(function)}};
}

}  // namespace quire
