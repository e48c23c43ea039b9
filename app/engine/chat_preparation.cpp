#include "app/engine/chat_preparation.h"

#include <algorithm>

#include "app/error_strings.h"
#include "engine/chat/context_window.h"

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

std::vector<TokenId> encodeText(const Tokenizer& tokenizer, const std::string& text) {
  const std::vector<TextRun> runs = {{.text = text, .is_plain = true}};
  return tokenizer.encode_runs(runs);
}

/// Whether an answer's ids say its text. Of a character that the answer was cut off in, the text
/// has nothing.
bool saysTheSame(const Tokenizer& tokenizer, const ChatMessage& answer) {
  constexpr size_t kMaxHeldBytes = 3;
  if (answer.tokens.empty()) return false;
  const std::string said = tokenizer.decode(answer.tokens);
  return said.starts_with(answer.content) && said.size() - answer.content.size() <= kMaxHeldBytes;
}

/// Takes the answer that goes on from the messages' end. Its turn is opened by the template as any
/// answer's is, and never closed, so that every template can do it.
std::vector<TokenId> takeOpenAnswer(const Engine& engine, std::vector<ChatMessage>& messages) {
  const Tokenizer& tokenizer = *engine.model().tokenizer;
  ChatMessage answer = std::move(messages.back());
  messages.pop_back();
  if (saysTheSame(tokenizer, answer)) return std::move(answer.tokens);
  return encodeText(tokenizer, answer.content);
}

}  // namespace

Result<PreparedChat> prepareChat(const Engine& engine, const ChatRequest& chat) {
  std::vector<ChatMessage> messages = messagesOf(chat);
  PreparedChat prepared;
  if (chat.continueAnswer && messages.size() > 1) {
    prepared.answered = takeOpenAnswer(engine, messages);
  }
  const int answered = static_cast<int>(prepared.answered.size());
  auto fitted = fit_chat(engine.model(), messages, engine.max_context() - answered);
  if (!fitted) return fitted.error();
  if (!fitted->fits) return overflow_error(*fitted, engine.max_context() - answered);
  fitted->prompt.tokens.insert(fitted->prompt.tokens.end(), prepared.answered.begin(),
                               prepared.answered.end());
  prepared.request = {.prompt = std::move(fitted->prompt.tokens),
                      .sampling = chat.sampling,
                      .answered = answered,
                      .focused = chat.priority >= kFocusedPriority,
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
    forecast.error = errorText(fitted.error());
    return forecast;
  }
  forecast.promptTokens = static_cast<int>(fitted->prompt.tokens.size());
  forecast.droppedMessages = fitted->dropped_messages;
  forecast.cachedTokens = engine.count_cached(fitted->prompt.tokens);
  const std::string message = chat.turns.last().text.toStdString();
  forecast.messageTokens = static_cast<int>(encodeText(*engine.model().tokenizer, message).size());
  if (!fitted->fits) {
    const Error error = overflow_error(*fitted, engine.max_context());
    forecast.error = errorText(error);
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
