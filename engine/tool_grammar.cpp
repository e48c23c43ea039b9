#include "engine/tool_grammar.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/chat/tool_call_forms.h"
#include "engine/chat/tool_call_headers.h"
#include "engine/grammar/schema_compilation.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"
#include "engine/tool_form_writer.h"

namespace quire {
namespace {

using grammar::RuleId;

constexpr size_t kMaxTools = 128;
/// A list of tools is as deep as a schema, and what is around it.
constexpr JsonLimits kToolLimits = {
    .max_bytes = 1 << 20, .max_depth = 72, .max_values = 100'000, .unique_keys = true};

/// A tool as its request describes it. The JSON is part of the list of tools.
struct OfferedTool {
  std::string name;
  const SchemaJson* parameters = nullptr;  ///< Null: it has none.
  bool is_strict = false;
};

Error bad_tool(const std::string& name, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "The tool \"" + for_message(name) + "\": " + why};
}

/// Null if the object has no such member.
const SchemaJson* member(const SchemaJson& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(name);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

/// Those that may be called. Malformed ones are left out, as ToolSchemas does.
std::vector<OfferedTool> offered_tools(const SchemaJson& list, const std::string& only) {
  std::vector<OfferedTool> tools;
  for (const SchemaJson& tool : list) {
    const SchemaJson* const function = member(tool, "function");
    const SchemaJson& described = function == nullptr ? tool : *function;
    const SchemaJson* const name = member(described, "name");
    if (name == nullptr || !name->is_string()) continue;
    const SchemaJson* const strict = member(described, "strict");
    const auto& text = name->get_ref<const std::string&>();
    if (!only.empty() && text != only) continue;
    tools.push_back({.name = text,
                     .parameters = member(described, "parameters"),
                     .is_strict = strict != nullptr && *strict == true});
  }
  return tools;
}

/// Compiles the tools' schemas into one grammar.
class ToolCompilation {
 public:
  ToolCompilation(const ToolChoice& choice, const ChatFormat& chat,
                  const GrammarVocabulary& vocabulary)
      : m_choice(choice), m_chat(chat), m_vocabulary(vocabulary) {}

  Result<GrammarRules> run(const std::vector<OfferedTool>& tools, const ToolCallForm& form);

 private:
  Result<RuleId> arguments_of(const OfferedTool& tool);
  Result<RuleId> any_object();
  Error failure() const;

  const ToolChoice& m_choice;
  const ChatFormat& m_chat;
  const GrammarVocabulary& m_vocabulary;
  GrammarBuilder m_builder;
  struct Compiled {
    std::string name;
    SchemaCompilation schema;
    RuleId rule;
  };
  std::deque<Compiled> m_compiled;
  std::optional<RuleId> m_any;
  const SchemaJson m_any_schema = {{"type", "object"}};
  const SchemaJson m_empty_schema = {{"type", "object"}, {"properties", SchemaJson::object()}};
};

Result<RuleId> ToolCompilation::any_object() {
  if (m_any) return *m_any;
  auto rule = SchemaCompilation(m_any_schema, m_builder).compile();
  if (rule) m_any = *rule;
  return rule;
}

/// A tool without parameters has none; OpenAI says so.
Result<RuleId> ToolCompilation::arguments_of(const OfferedTool& tool) {
  if (!m_choice.is_required && !tool.is_strict) return any_object();
  const SchemaJson& schema = tool.parameters == nullptr ? m_empty_schema : *tool.parameters;
  if (schema == true || (schema.is_object() && schema.empty())) return any_object();
  Compiled& compiled = m_compiled.emplace_back(
      Compiled{.name = tool.name, .schema = {schema, m_builder}, .rule = 0});
  if (compiled.schema.types() != schema_type::kObject) {
    return bad_tool(tool.name,
                    "The schema of its parameters allows other values than objects; give it "
                    "\"type\": \"object\".");
  }
  auto rule = compiled.schema.compile();
  if (!rule) return bad_tool(tool.name, rule.error().message);
  compiled.rule = *rule;
  return rule;
}

Error ToolCompilation::failure() const {
  if (m_builder.is_full()) {
    return {ErrorCode::kInvalidArgument,
            "The schemas of the tools are too large: " + m_builder.why_full() + "."};
  }
  for (const Compiled& one : m_compiled) {
    if (m_builder.says_nothing(one.rule)) {
      return bad_tool(one.name, one.schema.failure(one.rule).message);
    }
  }
  return {ErrorCode::kInvalidArgument, "The schemas of the tools describe no call."};
}

Result<GrammarRules> ToolCompilation::run(const std::vector<OfferedTool>& tools,
                                          const ToolCallForm& form) {
  std::vector<NamedArguments> calls;
  for (const OfferedTool& tool : tools) {
    if (!is_tool_name(tool.name)) {
      return bad_tool(tool.name,
                      "Its name cannot be written in a call; use up to 128 letters, "
                      "digits, \"_\" and \"-\".");
    }
    const auto rule = arguments_of(tool);
    if (!rule) return rule.error();
    calls.push_back({tool.name, *rule});
  }
  ToolFormWriter writer(m_builder, m_chat, m_vocabulary);
  const RuleId root = writer.write(form, calls, m_choice);
  auto rules = m_builder.finish(root, form.has_channels ? GrammarBuilder::Begins::kAtOnce
                                                        : GrammarBuilder::Begins::kAfterSpace);
  if (!rules) return failure();
  for (const Compiled& one : m_compiled) {
    if (m_builder.says_nothing(one.rule)) return failure();
  }
  if (form.has_channels) rules->set_covers_reasoning();
  return std::move(*rules);
}

}  // namespace

Result<void> check_tool_grammar(std::string_view template_source) {
  if (find_tool_call_form(template_source)) return {};
  return Error{ErrorCode::kInvalidArgument,
               "Calls of the " + std::string(tool_family_name(template_source)) +
                   " family cannot be required, limited to one or held to a schema, because the "
                   "form in which this model writes them has no grammar here. Choose another "
                   "model, or leave tool_choice, strict and parallel_tool_calls out."};
}

Result<std::shared_ptr<const Grammar>> tool_grammar(
    const ChatFormat& chat, std::string_view tools, const ToolChoice& choice,
    std::shared_ptr<const GrammarVocabulary> vocabulary) {
  if (const auto known = check_tool_grammar(chat.template_source); !known) return known.error();
  const auto list = parse_input(tools, "The list of tools", kToolLimits);
  if (!list) return Error{ErrorCode::kInvalidArgument, list.error().message + "."};
  if (!list->is_array() || list->size() > kMaxTools) {
    return Error{ErrorCode::kInvalidArgument,
                 "At most 128 tools may be offered where calls are required or strict."};
  }
  const auto offered = offered_tools(*list, choice.name);
  if (offered.empty()) {
    return Error{ErrorCode::kInvalidArgument, "There is no tool \"" + for_message(choice.name) +
                                                  "\" among those that are offered."};
  }
  auto rules = ToolCompilation(choice, chat, *vocabulary)
                   .run(offered, *find_tool_call_form(chat.template_source));
  if (!rules) return rules.error();
  return std::shared_ptr<const Grammar>(
      std::make_shared<Grammar>(std::move(*rules), std::move(vocabulary)));
}

}  // namespace quire
