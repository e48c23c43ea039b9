#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/server/api/field_reader.h"
#include "app/server/api/generation_request.h"

namespace quire {

/// "messages[2]"
std::string indexedName(const std::string& name, size_t index);

/// Builds a chat from the parts that an API sends one after the other: parts of one side come
/// together in one turn, and the results of tools become turns of their own.
class TurnBuilder {
 public:
  void addText(const std::string& role, const std::string& text);
  void addReasoning(const std::string& text);
  /// `arguments` is the text of a JSON object. Without an id the call gets one.
  void addCall(std::string id, const std::string& name, const std::string& arguments);
  /// The result of the call with that id; without one, of the first call of that tool (or of any)
  /// that has no result yet. False: there is no such call.
  bool addResult(const std::string& id, const std::string& tool, const std::string& text);
  /// What comes next is not part of the turn before.
  void endTurn() { m_isOpen = false; }

  QList<ChatTurn> take();

 private:
  struct Call {
    std::string id;
    std::string tool;
    bool isAnswered = false;
  };
  /// Indices of calls in their order; those before `next` have their results.
  struct OpenCalls {
    std::vector<size_t> indices;
    size_t next = 0;
  };
  ChatTurn& turnOf(const std::string& role);
  Call* callWithId(const std::string& id);
  Call* openCallOf(const std::string& tool);

  QList<ChatTurn> m_turns;
  std::vector<Call> m_calls;
  std::unordered_map<std::string, size_t> m_byId;        ///< Of several with an id the first.
  std::unordered_map<std::string, OpenCalls> m_ofTools;  ///< By tool; under "" those of all tools.
  bool m_isOpen = false;
};

/// Adds a variable of the template that the request implies.
void setTemplateVariable(ChatRequest& chat, const std::string& name,
                         const nlohmann::ordered_json& value);

/// Tools that are written as {name, description, `schemaField`}, in the format of OpenAI's chats.
/// Each reader has the fields that describe the tool; others must have been read before.
nlohmann::ordered_json chatTool(FieldReader& reader, const std::string& schemaField);

}  // namespace quire
