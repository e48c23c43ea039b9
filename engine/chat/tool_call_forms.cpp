#include "engine/chat/tool_call_forms.h"

#include "engine/chat/tool_call_headers.h"

namespace quire {
namespace {

constexpr std::string_view kJsonBefore = "{\t\"name\":\t\"";
constexpr std::string_view kJsonMiddle = "\",\t\"arguments\":\t";
constexpr std::string_view kJsonAfter = "\t}";

/// Calls in a JSON list after a mark.
constexpr ToolCallForm list_after(std::string_view mark, std::string_view close) {
  return {.mark = mark,
          .open = "\t[\t",
          .before = kJsonBefore,
          .middle = kJsonMiddle,
          .after = kJsonAfter,
          .separator = ",\t",
          .close = close,
          .is_list = true};
}

constexpr ToolCallForm kHermesForm = {.mark = "<tool_call>",
                                      .open = "\t",
                                      .before = kJsonBefore,
                                      .middle = kJsonMiddle,
                                      .after = kJsonAfter,
                                      .close = "\t</tool_call>",
                                      .may_repeat = true};
constexpr ToolCallForm kGraniteForm = list_after("<|tool_call|>", "\t]");
constexpr ToolCallForm kPhiForm = list_after("<|tool_call|>", "\t]<|/tool_call|>");
constexpr ToolCallForm kFunctoolsForm = list_after("functools", "\t]");
constexpr ToolCallForm kMistralForm = list_after("[TOOL_CALLS]", "\t]");
constexpr ToolCallForm kCommandForm = {.mark = "<|START_ACTION|>",
                                       .open = "\t[\t",
                                       .before = "{\t\"tool_call_id\":\t\"%\",\t\"tool_name\":\t\"",
                                       .middle = "\",\t\"parameters\":\t",
                                       .after = kJsonAfter,
                                       .separator = ",\t",
                                       .close = "\t]<|END_ACTION|>",
                                       .is_list = true};
constexpr ToolCallForm kLlamaForm = {
    .mark = "", .before = kJsonBefore, .middle = "\",\t\"parameters\":\t", .after = kJsonAfter};
constexpr ToolCallForm kKimiForm = {.mark = kKimiList,
                                    .before = "<|tool_call_begin|>functions.",
                                    .middle = ":%<|tool_call_argument_begin|>",
                                    .after = "<|tool_call_end|>",
                                    .close = "<|tool_calls_section_end|>",
                                    .is_list = true};
constexpr ToolCallForm kDeepSeekForm = {.mark = kDeepSeekList,
                                        .before = kDeepSeekCall,
                                        .middle = kDeepSeekSeparator,
                                        .after = "<｜tool▁call▁end｜>",
                                        .close = "<｜tool▁calls▁end｜>",
                                        .is_list = true};
constexpr ToolCallForm kFencedDeepSeekForm = {
    .mark = kDeepSeekList,
    .before = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
    .middle = "\n```json\n",
    .after = "\n```<｜tool▁call▁end｜>",
    .separator = "\n",
    .close = "<｜tool▁calls▁end｜>",
    .is_list = true};
constexpr ToolCallForm kHarmonyForm = {.mark = "<|channel|>commentary to=functions.",
                                       .middle = " <|constrain|>json<|message|>",
                                       .has_channels = true};

ToolCallForm mistral_form(std::string_view source) {
  ToolCallForm form = {.mark = "[TOOL_CALLS]", .may_repeat = true};
  if (source.find("[ARGS]") == source.npos) return kMistralForm;
  form.middle = source.find("[CALL_ID]") == source.npos ? "[ARGS]" : "[CALL_ID]#########[ARGS]";
  return form;
}

}  // namespace

std::optional<ToolCallForm> find_tool_call_form(std::string_view template_source) {
  const auto holds = [&](std::string_view mark) {
    return template_source.find(mark) != template_source.npos;
  };
  const std::string_view family = tool_family_name(template_source);
  if (family == "Hermes") return kHermesForm;
  if (family == "Granite") return kGraniteForm;
  if (family == "Phi") return holds("functools") ? kFunctoolsForm : kPhiForm;
  if (family == "Mistral") return mistral_form(template_source);
  if (family == "Command") return kCommandForm;
  if (family == "Llama") return kLlamaForm;
  if (family == "Kimi") return kKimiForm;
  if (family == "DeepSeek") return holds("```json") ? kFencedDeepSeekForm : kDeepSeekForm;
  if (family == "harmony") return kHarmonyForm;
  return std::nullopt;
}

std::string_view tool_family_name(std::string_view template_source) {
  const ToolCallFormat* const format = find_tool_call_format(template_source);
  if (format == nullptr) return "unknown";
  const bool is_glm =
      format->name == "Hermes" && template_source.find("<arg_key>") != template_source.npos;
  return is_glm ? "GLM" : format->name;
}

}  // namespace quire
