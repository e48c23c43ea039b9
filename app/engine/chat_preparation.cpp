#include "app/engine/chat_preparation.h"

#include <algorithm>

#include "app/engine/prompt_length.h"
#include "app/error_strings.h"
#include "engine/chat/context_window.h"
#include "engine/scheduler/scheduler.h"
#include "engine/tool_grammar.h"

namespace quire {

// The engine limits the requests of other programs beside the window's chats.
static_assert(kApiPriority < kChatPriority && kBackgroundPriority >= kChatPriority);

namespace {

/// The ids of an answer that can stand for its text. Special tokens decode to nothing, so that the
/// ids of an imported file may hold turns which its text does not show; the text is then encoded
/// again. Answers that were sampled here may hold special tokens; so their ids stay.
std::vector<TokenId> usableTokens(const Tokenizer& tokenizer, const ChatTurn& turn) {
  std::vector<TokenId> tokens(turn.tokens.begin(), turn.tokens.end());
  if (!turn.isImported) return tokens;
  const auto isHidden = [&](TokenId id) {
    return tokenizer.token_bytes(id).empty() || tokenizer.is_special(id);
  };
  if (std::ranges::any_of(tokens, isHidden)) tokens.clear();
  return tokens;
}

std::vector<ChatMessage> messagesOf(const ChatFormat& format, const ChatRequest& chat) {
  std::vector<ChatMessage> messages;
  messages.reserve(static_cast<size_t>(chat.turns.size()));
  for (const ChatTurn& turn : chat.turns) {
    ChatMessage& message = messages.emplace_back(turn.role.toStdString(), turn.text.toStdString(),
                                                 usableTokens(*format.tokenizer, turn));
    if (!turn.parts.empty()) message.parts = turn.parts;
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
  const std::string text = answer.text();
  return said.starts_with(text) && said.size() - text.size() <= kMaxHeldBytes;
}

/// Takes the answer that goes on from the messages' end. Its turn is opened by the template as any
/// answer's is, and never closed, so that every template can do it.
std::vector<TokenId> takeOpenAnswer(const Tokenizer& tokenizer,
                                    std::vector<ChatMessage>& messages) {
  ChatMessage answer = std::move(messages.back());
  messages.pop_back();
  if (saysTheSame(tokenizer, answer)) return std::move(answer.tokens);
  return encodeText(tokenizer, answer.text());
}

/// The grammar of an answer with tool calls.
Result<std::shared_ptr<const Grammar>> toolGrammarOf(const LoadedModel& model,
                                                     const ChatRequest& chat,
                                                     GrammarCache& grammars) {
  const ToolChoice& choice = chat.format.tools;
  const std::string name = std::string("tools ") + (choice.is_required ? "required " : "") +
                           (choice.allows_more ? "" : "one ") + choice.name + ' ' +
                           chat.prompt.tools;
  return grammars.get(name, [&](auto vocabulary) {
    return tool_grammar(*model.chat, chat.prompt.tools, choice, std::move(vocabulary));
  });
}

/// The grammar of an answer's format; null for plain text.
Result<std::shared_ptr<const Grammar>> grammarOf(const LoadedModel& model, const ChatRequest& chat,
                                                 GrammarCache* grammars) {
  const AnswerFormat& format = chat.format;
  if (format.kind == AnswerFormat::Kind::kText) return std::shared_ptr<const Grammar>();
  std::unique_ptr<GrammarCache> own;
  if (grammars == nullptr) {
    own = grammarsOf(model);
    grammars = own.get();
  }
  if (format.kind == AnswerFormat::Kind::kToolCalls) {
    return toolGrammarOf(model, chat, *grammars);
  }
  const bool isAny = format.kind == AnswerFormat::Kind::kJson;
  return isAny ? grammars->of_any_object() : grammars->of_schema(format.schema);
}

/// The chat with all its turns. Whether it fits exactly is checked when it is submitted.
Result<FittedChat> wholeChat(const ChatFormat& format, std::span<const ChatMessage> messages,
                             const PromptOptions& options, int maxContext) {
  auto prompt =
      chat_prompt(format, messages, options, static_cast<size_t>(std::max(maxContext, 0)));
  if (!prompt) return prompt.error();
  return FittedChat{.prompt = std::move(*prompt)};
}

/// As the model's files ask for plain text to be read: with BOS, unless the text begins with it.
std::vector<TokenId> encodeRaw(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<TokenId> tokens = tokenizer.encode_with_special(text);
  const std::optional<TokenId> bos = tokenizer.bos_token();
  const bool hasBos = bos && !tokens.empty() && tokens.front() == *bos;
  if (bos && tokenizer.adds_bos() && !hasBos) tokens.insert(tokens.begin(), *bos);
  return tokens;
}

std::vector<TokenId> rawTokens(const Tokenizer& tokenizer, const RawPrompt& prompt) {
  if (!prompt.tokens.isEmpty()) return {prompt.tokens.begin(), prompt.tokens.end()};
  return encodeRaw(tokenizer, prompt.text.toStdString());
}

/// Errors: kInvalidArgument, kContextOverflow.
Result<PreparedChat> prepareRaw(const LoadedModel& model, int maxContext, const ChatRequest& chat) {
  PreparedChat prepared;
  Request& request = prepared.request;
  request.prompt = rawTokens(*model.chat->tokenizer, *chat.rawPrompt);
  request.sampling = chat.sampling;
  request.priority = chat.priority;
  if (auto valid = validate(request, model.config.vocab_size, maxContext); !valid) {
    return valid.error();
  }
  return prepared;
}

}  // namespace

Result<PreparedChat> prepareChat(const LoadedModel& model, int maxContext, const ChatRequest& chat,
                                 GrammarCache* grammars) {
  if (auto fits = checkPromptLength(*model.chat->tokenizer, chat, maxContext); !fits) {
    return fits.error();
  }
  auto grammar = grammarOf(model, chat, grammars);
  if (!grammar) return grammar.error();
  if (chat.rawPrompt) {
    Result<PreparedChat> raw = prepareRaw(model, maxContext, chat);
    if (raw) raw->request.sampling.grammar = std::move(*grammar);
    return raw;
  }
  std::vector<ChatMessage> messages = messagesOf(*model.chat, chat);
  PreparedChat prepared;
  if (chat.continueAnswer && messages.size() > 1) {
    prepared.answered = takeOpenAnswer(*model.chat->tokenizer, messages);
  }
  const int answered = static_cast<int>(prepared.answered.size());
  auto fitted = chat.dropsOldTurns
                    ? fit_chat(*model.chat, messages, maxContext - answered, chat.prompt)
                    : wholeChat(*model.chat, messages, chat.prompt, maxContext);
  if (!fitted) return fitted.error();
  if (!fitted->fits) return overflow_error(*fitted, maxContext - answered);
  fitted->prompt.tokens.insert(fitted->prompt.tokens.end(), prepared.answered.begin(),
                               prepared.answered.end());
  prepared.request = {.prompt = std::move(fitted->prompt.tokens),
                      .sampling = chat.sampling,
                      .answered = answered,
                      .priority = chat.priority,
                      .chat = chat.chatId,
                      .persona = chat.personaId,
                      .persona_tokens = fitted->prompt.persona_tokens,
                      .message_starts = std::move(fitted->prompt.message_starts)};
  prepared.request.shows_tool_calls = !chat.prompt.tools.empty();
  prepared.request.sampling.grammar = std::move(*grammar);
  add_turn_stops(*model.chat, prepared.request.sampling);
  prepared.droppedMessages = fitted->dropped_messages;
  prepared.systemTurns = static_cast<int>(leading_system_messages(messages));
  return prepared;
}

Result<PreparedChat> withSampling(const LoadedModel& model, int maxContext, PreparedChat prepared,
                                  const ChatRequest& chat) {
  Request& request = prepared.request;
  auto grammar = std::move(request.sampling.grammar);
  request.sampling = chat.sampling;
  request.priority = chat.priority;
  if (!chat.rawPrompt) {
    add_turn_stops(*model.chat, request.sampling);
  } else if (auto valid = validate(request, model.config.vocab_size, maxContext); !valid) {
    return valid.error();
  }
  request.sampling.grammar = std::move(grammar);
  return prepared;
}

std::unique_ptr<GrammarCache> grammarsOf(const LoadedModel& model) {
  return std::make_unique<GrammarCache>(model.chat->tokenizer, model.config.vocab_size,
                                        model.config.end_tokens);
}

PreparedForecast forecastChat(const LoadedModel& model, int maxContext, const ChatRequest& chat) {
  PreparedForecast prepared;
  ContextForecast& forecast = prepared.forecast;
  forecast.contextTokens = maxContext;
  auto fitted = fit_chat(*model.chat, messagesOf(*model.chat, chat), maxContext, chat.prompt);
  if (!fitted) {
    forecast.error = errorText(fitted.error());
    return prepared;
  }
  forecast.promptTokens = static_cast<int>(fitted->prompt.tokens.size());
  forecast.droppedMessages = fitted->dropped_messages;
  const std::string message = chat.turns.last().text.toStdString();
  forecast.messageTokens = static_cast<int>(encodeText(*model.chat->tokenizer, message).size());
  if (!fitted->fits) forecast.error = errorText(overflow_error(*fitted, maxContext));
  prepared.prompt = std::move(fitted->prompt.tokens);
  return prepared;
}

Result<std::vector<TokenId>> promptTokens(const ChatFormat& format, const ChatRequest& chat) {
  if (chat.rawPrompt) return rawTokens(*format.tokenizer, *chat.rawPrompt);
  std::vector<ChatMessage> messages = messagesOf(format, chat);
  std::vector<TokenId> answered;
  if (chat.continueAnswer && messages.size() > 1) {
    answered = takeOpenAnswer(*format.tokenizer, messages);
  }
  auto prompt = chat_prompt(format, messages, chat.prompt);
  if (!prompt) return prompt.error();
  prompt->tokens.insert(prompt->tokens.end(), answered.begin(), answered.end());
  return std::move(prompt->tokens);
}

Result<std::vector<TokenId>> personaTokens(const LoadedModel& model, int maxContext,
                                           const QString& systemPrompt) {
  const std::vector<ChatMessage> messages = {{"system", systemPrompt.toStdString()}, {"user", "?"}};
  auto prompt = chat_prompt(*model.chat, messages, {}, static_cast<size_t>(maxContext));
  if (!prompt) return prompt.error();
  prompt->tokens.resize(static_cast<size_t>(std::max(0, prompt->persona_tokens)));
  return std::move(prompt->tokens);
}

}  // namespace quire
