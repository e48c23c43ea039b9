#include "app/server/api/tool_choice_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/io/text.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// {"type": "function", "function": {"name": ...}}, or with the name beside the type.
void readNamed(FieldReader& parent, const Json& choice, bool isFlat, ToolChoice& wanted) {
  FieldReader reader(choice, "tool_choice");
  const std::string type = reader.string("type").value_or(std::string());
  if (!reader.hasFailed() && type != "function") {
    return parent.fail(unsupported(
        "tool_choice", "tool_choice may be \"none\", \"auto\", \"required\" or a function."));
  }
  if (isFlat) {
    wanted.name = reader.string("name").value_or(std::string());
  } else if (const Json* const function = reader.object("function")) {
    FieldReader inner(*function, "tool_choice.function");
    wanted.name = inner.string("name").value_or(std::string());
    if (auto error = inner.finish()) reader.fail(std::move(*error));
  }
  if (wanted.name.empty()) reader.fail(badField("tool_choice", "tool_choice needs a name."));
  if (auto error = reader.finish()) parent.fail(std::move(*error));
  wanted.is_required = true;
  wanted.allows_more = false;
}

/// The tool's description within the list.
const Json& functionOf(const Json& tool) {
  return tool.at("function");
}

}  // namespace

WantedCalls readToolChoice(FieldReader& reader, bool isFlat) {
  WantedCalls wanted;
  if (const Json* const choice = reader.any("tool_choice")) {
    wanted.isGiven = true;
    wanted.isNone = *choice == "none";
    wanted.choice.is_required = *choice == "required";
    if (choice->is_object()) {
      readNamed(reader, *choice, isFlat, wanted.choice);
    } else if (!wanted.isNone && !wanted.choice.is_required && *choice != "auto") {
      reader.fail(unsupported(
          "tool_choice", "tool_choice may be \"none\", \"auto\", \"required\" or a function."));
    }
  }
  if (reader.boolean("parallel_tool_calls") == false) wanted.choice.allows_more = false;
  return wanted;
}

void checkToolNames(FieldReader& reader, const Json& tools) {
  std::set<std::string> names;
  for (const Json& tool : tools) {
    if (reader.hasFailed()) return;
    const std::string name = functionOf(tool).value("name", std::string());
    if (names.insert(name).second) continue;
    reader.fail(badField("tools", "tools has the name '" + for_message(name) +
                                      "' twice; give each tool a name of its own."));
  }
}

void constrainCalls(FieldReader& reader, const Json& tools, const ToolChoice& wanted,
                    GenerationRequest& request) {
  if (reader.hasFailed()) return;
  const auto isNamed = [&](const Json& tool) { return functionOf(tool).at("name") == wanted.name; };
  if (!wanted.name.empty() && std::ranges::none_of(tools, isNamed)) {
    return reader.fail(badField("tool_choice", "tool_choice names the tool '" +
                                                   for_message(wanted.name) +
                                                   "', which is not among tools."));
  }
  const bool isStrict = std::ranges::any_of(tools, [](const Json& tool) {
    const auto strict = functionOf(tool).find("strict");
    return strict != functionOf(tool).end() && *strict == true;
  });
  if (!wanted.is_required && wanted.allows_more && !isStrict) return;
  if (request.chat.format.kind != AnswerFormat::Kind::kText) {
    return reader.fail(badField("tools",
                                "Calls of tools cannot be required, strict or limited to "
                                "one in an answer that has a format."));
  }
  request.chat.format = {.kind = AnswerFormat::Kind::kToolCalls, .tools = wanted};
  request.formatField = wanted.is_required ? "tool_choice"
                        : isStrict         ? "tools"
                                           : "parallel_tool_calls";
}

void setFormat(FieldReader& reader, const std::string& field, AnswerFormat format,
               GenerationRequest& request) {
  if (format.kind == AnswerFormat::Kind::kText) return;
  if (request.chat.format.kind == AnswerFormat::Kind::kToolCalls) {
    return reader.fail(
        badField(field.substr(0, field.find('.')),
                 "An answer cannot have a format together with calls of tools that are "
                 "required, strict or limited to one."));
  }
  request.chat.format = std::move(format);
  request.formatField = field;
}

}  // namespace quire
