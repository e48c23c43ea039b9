#include "engine/chat/chat_prompt.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/chat/prompt_encoder.h"
#include "engine/chat/tool_calls.h"
#include "engine/io/json_file.h"
#include "engine/io/text.h"
#include "engine/tokenizer/length_check.h"

namespace quire {

namespace {

using Json = nlohmann::ordered_json;
using PartKind = ContentPart::Kind;

/// How the arguments of calls are passed to a template. Most expect an object; some of DeepSeek's
/// join them with text, as they come in OpenAI's messages.
enum class Arguments { kObject, kText };

/// What a template expects of messages beside the fields that all read.
struct MessageForm {
  Arguments arguments = Arguments::kObject;
  /// Reasoning is the field "thinking", as in gpt-oss's, and not "reasoning_content".
  bool has_thinking = false;
};

MessageForm message_form(const ChatFormat& format, Arguments arguments) {
  const auto reads = [&](std::string_view field) {
    return format.template_source.find(field) != std::string::npos;
  };
  return {.arguments = arguments,
          .has_thinking = reads("message.thinking") && !reads("reasoning_content")};
}

/// A tool call in the format of OpenAI's messages. Arguments that are no JSON, or exceed its
/// limits, stay text.
Json tool_call(const ContentPart& part, Arguments form) {
  const Result<Json> parsed = form == Arguments::kObject ? parse_input(part.text, "a tool call")
                                                         : Result<Json>(Json(part.text));
  Json arguments = parsed ? *parsed : Json(part.text);
  Json call = {{"type", "function"},
               {"function", {{"name", part.tool}, {"arguments", std::move(arguments)}}}};
  if (!part.call_id.empty()) call["id"] = part.call_id;
  return call;
}

/// The content of a message with images: a list of typed parts, as multimodal templates read it.
Json content_list(const ChatMessage& message) {
  Json list = Json::array();
  for (const ContentPart& part : message.parts) {
    if (part.kind == PartKind::kImage) list.push_back({{"type", "image"}});
    if (part.kind == PartKind::kText) list.push_back({{"type", "text"}, {"text", part.text}});
  }
  return list;
}

bool has_part(const ChatMessage& message, PartKind kind) {
  return std::ranges::any_of(message.parts, [&](const auto& part) { return part.kind == kind; });
}

/// A message with the field names that published templates read.
Json template_message(const ChatMessage& message, const MessageForm& form) {
  const auto has = [&](PartKind kind) { return has_part(message, kind); };
  Json json = {{"role", message.role},
               {"content", has(PartKind::kImage) ? content_list(message) : Json(message.text())}};
  std::string reasoning;
  for (const ContentPart& part : message.parts) {
    if (part.kind == PartKind::kReasoning) reasoning += part.text;
    if (part.kind == PartKind::kToolCall)
      json["tool_calls"].push_back(tool_call(part, form.arguments));
    if (part.kind != PartKind::kToolResult) continue;
    if (!part.tool.empty()) json["name"] = part.tool;
    if (!part.call_id.empty()) json["tool_call_id"] = part.call_id;
  }
  // gpt-oss's template refuses a call with both reasoning and text; it takes the text for
  // reasoning.
  const bool is_refused = form.has_thinking && has(PartKind::kToolCall) && !message.text().empty();
  if (reasoning.empty() || is_refused) return json;
  json[form.has_thinking ? "thinking" : "reasoning_content"] = std::move(reasoning);
  return json;
}

/// Errors: kInvalidArgument with a whole sentence.
Result<Json> parse_option(const std::string& text, const char* what) {
  Result<Json> json = parse_input(text, what);
  if (!json) return Error{json.error().code, json.error().message + "."};
  return json;
}

/// The tools, or nothing: as transformers does, `tools` is defined in any case.
Result<Json> template_tools(const ChatFormat& format, const PromptOptions& options) {
  if (options.tools.empty()) return Json(nullptr);
  Result<Json> tools = parse_option(options.tools, "The list of tools");
  if (!tools) return tools.error();
  if (!tools->is_array()) {
    return Error{ErrorCode::kInvalidArgument, "The list of tools is not a JSON array."};
  }
  if (tools->empty()) return Json(nullptr);
  if (template_reads_tools(format.template_source)) return tools;
  return make_error(ErrorCode::kUnsupported,
                    "The chat template of this model does not read tools. Choose a model that can "
                    "call tools, or leave them out.");
}

/// Adds the options' variables. None of them replaces what the application itself says.
Result<void> add_variables(const PromptOptions& options, Json& variables) {
  if (options.variables.empty()) return {};
  const Result<Json> more = parse_option(options.variables, "The template's variables");
  if (!more) return more.error();
  if (!more->is_object()) {
    return Error{ErrorCode::kInvalidArgument, "The template's variables are not a JSON object."};
  }
  for (const auto& [name, value] : more->items()) {
    // Templates write special tokens themselves by names like this one.
    if (variables.contains(name) || name.ends_with("_token")) {
      return Error{ErrorCode::kInvalidArgument,
                   "The template's variable " + visible_text(name) + " cannot be set."};
    }
    variables[name] = value;
  }
  return {};
}

Result<Json> template_variables(const ChatFormat& format, std::span<const ChatMessage> messages,
                                const PromptOptions& options, Arguments arguments) {
  const Tokenizer& tokenizer = *format.tokenizer;
  const auto piece = [&](std::optional<TokenId> id) {
    return id ? std::string(tokenizer.token_piece(*id)) : std::string();
  };
  Result<Json> tools = template_tools(format, options);
  if (!tools) return tools.error();
  Json variables = {{"messages", Json::array()},
                    {"add_generation_prompt", options.add_generation_prompt},
                    {"tools", std::move(*tools)},
                    {"documents", nullptr},
                    {"bos_token", piece(tokenizer.bos_token())},
                    {"eos_token", piece(tokenizer.eos_token())}};
  const MessageForm form = message_form(format, arguments);
  for (const ChatMessage& message : messages) {
    variables["messages"].push_back(template_message(message, form));
  }
  if (const auto added = add_variables(options, variables); !added) return added.error();
  return variables;
}

/// Merges a leading system message into the user's that follows it.
std::vector<ChatMessage> without_system(std::span<const ChatMessage> messages) {
  std::vector<ChatMessage> merged(messages.begin() + 1, messages.end());
  auto& parts = merged.front().parts;
  parts.insert(parts.begin(), {.kind = PartKind::kText, .text = messages.front().text() + "\n\n"});
  return merged;
}

/// Whether the template called raise_exception (see refusal_at in engine/template). After any other
/// error, such as a limit, rendering again would only take the same time.
bool is_refusal(const Error& error) {
  return error.message.starts_with("The chat template refuses this conversation");
}

Result<RenderedPrompt> render_with(const ChatFormat& format, std::span<const ChatMessage> messages,
                                   const PromptOptions& options, Arguments arguments) {
  const auto variables = template_variables(format, messages, options, arguments);
  if (!variables) return variables.error();
  return format.chat_template->render(*variables, options.now);
}

/// Renders a chat; if it has calls and its template fails on their arguments, once more with these
/// as text. The first error is returned.
Result<RenderedPrompt> render_calls(const ChatFormat& format, std::span<const ChatMessage> messages,
                                    const PromptOptions& options) {
  auto rendered = render_with(format, messages, options, Arguments::kObject);
  const auto has_call = [](const ChatMessage& message) {
    return has_part(message, PartKind::kToolCall);
  };
  if (rendered || is_refusal(rendered.error())) return rendered;
  if (rendered.error().code != ErrorCode::kTemplate) return rendered;
  if (std::ranges::none_of(messages, has_call)) return rendered;
  auto again = render_with(format, messages, options, Arguments::kText);
  return again ? std::move(again) : std::move(rendered);
}

/// Some templates (Gemma's) refuse a system message; then its text opens the first user message, as
/// their authors advise. If that is refused too, the first refusal is returned.
Result<RenderedPrompt> render(const ChatFormat& format, std::span<const ChatMessage> messages,
                              const PromptOptions& options) {
  auto rendered = render_calls(format, messages, options);
  const bool has_system = messages.size() > 1 && messages[0].role == "system";
  if (rendered || !has_system || messages[1].role != "user") return rendered;
  if (!is_refusal(rendered.error())) return rendered;
  auto merged = render_calls(format, without_system(messages), options);
  return merged ? std::move(merged) : std::move(rendered);
}

bool is_too_long(const RenderedPrompt& prompt, const Tokenizer& tokenizer, size_t limit) {
  std::vector<std::string_view> texts;
  for (const PromptSegment& segment : prompt.segments) texts.push_back(segment.text);
  return is_far_beyond(tokenizer, texts, limit);
}

}  // namespace

Result<ChatPrompt> chat_prompt(const ChatFormat& format, std::span<const ChatMessage> messages,
                               const PromptOptions& options, std::optional<size_t> most_tokens) {
  if (messages.empty()) return Error{ErrorCode::kInvalidArgument, "The chat has no messages yet."};
  if (!format.chat_template) return Error{ErrorCode::kTemplate, format.template_error};
  const auto rendered = render(format, messages, options);
  if (!rendered) return rendered.error();
  if (most_tokens && is_too_long(*rendered, *format.tokenizer, *most_tokens)) {
    return far_beyond_error(*most_tokens);
  }
  PromptEncoder encoder(*format.tokenizer, messages);
  for (const PromptSegment& segment : rendered->segments) encoder.add(segment);
  return encoder.finish();
}

size_t leading_system_messages(std::span<const ChatMessage> messages) {
  const auto first = std::ranges::find_if(messages, [](const ChatMessage& message) {
    return message.role != "system" && message.role != "developer";
  });
  return static_cast<size_t>(first - messages.begin());
}

void add_turn_stops(const ChatFormat& format, SamplingParams& sampling) {
  sampling.stop.insert(sampling.stop.end(), format.turn_stops.begin(), format.turn_stops.end());
}

}  // namespace quire
