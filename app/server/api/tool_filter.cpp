#include "app/server/api/tool_filter.h"

#include <utility>

#include "engine/chat/tool_call_parser.h"
#include "engine/tool_grammar.h"

namespace quire {
namespace {

/// The calls of one family of models.
class FamilyFilter : public ToolFilter {
 public:
  FamilyFilter(const ToolCallFormat& format, std::shared_ptr<const ToolSchemas> tools)
      : m_parser(format, std::move(tools)) {}

  void append(const std::string& text, AnswerDelta& delta) override {
    add(m_parser.push(text), delta);
  }
  void finish(AnswerDelta& delta) override { add(m_parser.finish(), delta); }
  bool hasCalls() const override { return m_parser.has_calls(); }

 private:
  void add(const std::vector<ToolCallStep>& steps, AnswerDelta& delta) {
    for (const ToolCallStep& step : steps) {
      delta.text += step.text;
      for (const ToolCall& call : step.calls) {
        delta.toolCalls.push_back(
            {.index = m_numCalls++, .id = call.id, .name = call.name, .arguments = call.arguments});
      }
    }
  }

  ToolCallParser m_parser;
  int m_numCalls = 0;
};

}  // namespace

std::unique_ptr<ToolFilter> makeToolFilter(const TextModel& model,
                                           std::shared_ptr<const ToolSchemas> tools) {
  if (!model.chat) return nullptr;
  const ToolCallFormat* const format = find_tool_call_format(model.chat->template_source);
  if (format == nullptr) return nullptr;
  return std::make_unique<FamilyFilter>(*format, std::move(tools));
}

std::optional<ApiError> checkTools(const TextModel& model, const GenerationRequest& request) {
  if (!model.chat) return std::nullopt;
  const std::string& source = model.chat->template_source;
  if (!template_reads_tools(source)) {
    return unsupported("tools",
                       "The chat template of this model does not read tools. Choose a model that "
                       "can call tools, or leave them out.");
  }
  if (find_tool_call_format(source) == nullptr) {
    return unsupported("tools",
                       "The form in which this model writes tool calls is not known here. Choose "
                       "another model, or leave the tools out.");
  }
  if (request.chat.format.kind != AnswerFormat::Kind::kToolCalls) return std::nullopt;
  const auto constrained = check_tool_grammar(source);
  if (constrained) return std::nullopt;
  return unsupported(request.formatField, constrained.error().message);
}

}  // namespace quire
