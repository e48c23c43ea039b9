#include "engine/chat/chat_prompt.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/chat/prompt_encoder.h"

namespace quire {

namespace {

nlohmann::ordered_json template_variables(const LoadedModel& model,
                                          std::span<const ChatMessage> messages,
                                          bool add_generation_prompt) {
  const auto piece = [&](std::optional<TokenId> id) {
    return id ? std::string(model.tokenizer->token_piece(*id)) : std::string();
  };
  nlohmann::ordered_json variables = {{"messages", nlohmann::ordered_json::array()},
                                      {"add_generation_prompt", add_generation_prompt},
                                      {"tools", nullptr},  // As transformers: defined, but none.
                                      {"documents", nullptr},
                                      {"bos_token", piece(model.tokenizer->bos_token())},
                                      {"eos_token", piece(model.tokenizer->eos_token())}};
  for (const ChatMessage& message : messages) {
    variables["messages"].push_back({{"role", message.role}, {"content", message.content}});
  }
  return variables;
}

/// The messages, a system's and a user's first, with the former's words at the head of the
/// latter's.
std::vector<ChatMessage> without_system(std::span<const ChatMessage> messages) {
  std::vector<ChatMessage> merged(messages.begin() + 1, messages.end());
  merged.front().content = messages.front().content + "\n\n" + merged.front().content;
  return merged;
}

/// Whether the template itself said no, by raise_exception (see refusal_at in engine/template). One
/// that broke or reached a limit would only take its time again.
bool is_refusal(const Error& error) {
  return error.message.starts_with("The chat template refuses this conversation");
}

/// Some templates (Gemma's) refuse a system's message; there its words open the first user's, as
/// their authors advise. The refusal stays if that does not help.
Result<RenderedPrompt> render(const LoadedModel& model, std::span<const ChatMessage> messages,
                              bool add_generation_prompt,
                              std::optional<std::chrono::local_seconds> now) {
  auto rendered =
      model.chat_template->render(template_variables(model, messages, add_generation_prompt), now);
  const bool has_system = messages.size() > 1 && messages[0].role == "system";
  if (rendered || !has_system || messages[1].role != "user") return rendered;
  if (!is_refusal(rendered.error())) return rendered;
  auto merged = model.chat_template->render(
      template_variables(model, without_system(messages), add_generation_prompt), now);
  return merged ? std::move(merged) : std::move(rendered);
}

}  // namespace

Result<ChatPrompt> chat_prompt(const LoadedModel& model, std::span<const ChatMessage> messages,
                               bool add_generation_prompt,
                               std::optional<std::chrono::local_seconds> now) {
  if (messages.empty()) return Error{ErrorCode::kInvalidArgument, "The chat has no messages yet."};
  if (!model.chat_template) return Error{ErrorCode::kTemplate, model.template_error};
  const auto rendered = render(model, messages, add_generation_prompt, now);
  if (!rendered) return rendered.error();
  PromptEncoder encoder(*model.tokenizer, messages);
  for (const PromptSegment& segment : rendered->segments) encoder.add(segment);
  return encoder.finish();
}

size_t leading_system_messages(std::span<const ChatMessage> messages) {
  const auto first = std::ranges::find_if(messages, [](const ChatMessage& message) {
    return message.role != "system" && message.role != "developer";
  });
  return static_cast<size_t>(first - messages.begin());
}

void add_turn_stops(const LoadedModel& model, SamplingParams& sampling) {
  sampling.stop.insert(sampling.stop.end(), model.turn_stops.begin(), model.turn_stops.end());
}

}  // namespace quire
