#include "app/engine/chat_preparation.h"

#include <algorithm>

#include "engine/context_window.h"

namespace quire {
namespace {

std::vector<ChatMessage> messagesOf(const ChatRequest& chat) {
  std::vector<ChatMessage> messages;
  messages.reserve(static_cast<size_t>(chat.turns.size()));
  for (const ChatTurn& turn : chat.turns) {
    messages.push_back({.role = turn.role.toStdString(),
                        .content = turn.text.toStdString(),
                        .tokens = {turn.tokens.begin(), turn.tokens.end()}});
  }
  return messages;
}

}  // namespace

Result<PreparedChat> prepareChat(const Engine& engine, const ChatRequest& chat) {
  const std::vector<ChatMessage> messages = messagesOf(chat);
  auto fitted = fit_chat(engine.model(), messages, engine.max_context());
  if (!fitted) return fitted.error();
  if (!fitted->fits) return overflow_error(*fitted, engine.max_context());
  PreparedChat prepared;
  prepared.request = {.prompt = std::move(fitted->prompt.tokens),
                      .sampling = chat.sampling,
                      .focused = chat.focused,
                      .chat = chat.chatId,
                      .persona = chat.personaId,
                      .persona_tokens = fitted->prompt.persona_tokens,
                      .message_starts = std::move(fitted->prompt.message_starts)};
  add_turn_stops(engine.model(), prepared.request.sampling);
  prepared.droppedMessages = fitted->dropped_messages;
  prepared.systemTurns = static_cast<int>(leading_system_messages(messages));
  return prepared;
}

ContextForecast forecastChat(const Engine& engine, const ChatRequest& chat) {
  ContextForecast forecast;
  forecast.contextTokens = engine.max_context();
  const auto fitted = fit_chat(engine.model(), messagesOf(chat), engine.max_context());
  if (!fitted) {
    forecast.error = QString::fromStdString(fitted.error().message);
    return forecast;
  }
  forecast.promptTokens = static_cast<int>(fitted->prompt.tokens.size());
  forecast.droppedMessages = fitted->dropped_messages;
  if (!fitted->fits) {
    const Error error = overflow_error(*fitted, engine.max_context());
    forecast.error = QString::fromStdString(error.message);
  }
  return forecast;
}

Result<std::vector<TokenId>> personaTokens(const Engine& engine, const QString& systemPrompt) {
  const std::vector<ChatMessage> messages = {
      {.role = "system", .content = systemPrompt.toStdString()}, {.role = "user", .content = "?"}};
  auto prompt = chat_prompt(engine.model(), messages);
  if (!prompt) return prompt.error();
  prompt->tokens.resize(static_cast<size_t>(std::max(0, prompt->persona_tokens)));
  return std::move(prompt->tokens);
}

PersonaReport measurePersona(const Engine& engine, const QString& systemPrompt) {
  if (systemPrompt.isEmpty()) return {};
  const auto tokens = personaTokens(engine, systemPrompt);
  if (!tokens) return {};
  const PrefixHolding holding = engine.holding(*tokens);
  return {.tokens = static_cast<int>(tokens->size()),
          .residentTokens = holding.resident_tokens,
          .diskTokens = holding.stored_tokens,
          .sharingChats = holding.chats,
          .bytesSaved = holding.saved_bytes};
}

}  // namespace quire
