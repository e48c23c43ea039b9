#pragma once

#include "app/engine/engine_inspector.h"
#include "engine/engine.h"

namespace quire {

/// A chat as the engine takes it: rendered, cut to the context, with the sampling that is used.
struct PreparedChat {
  Request request;
  std::vector<TokenId> answered;  ///< Of an answer that goes on: the prompt's last tokens.
  int droppedMessages = 0;        ///< The oldest turns after the system prompt, left out.
  int systemTurns = 0;            ///< At the head of ChatRequest::turns; they are never dropped.
};

/// A forecast whose cachedTokens are still to be counted, of `prompt`.
struct PreparedForecast {
  ContextForecast forecast;
  std::vector<TokenId> prompt;
};

// All of these read only what does not change of a model, so that any thread may call them.

/// For a context of so many tokens. Errors: kTemplate; kContextOverflow if not even the last
/// message fits.
Result<PreparedChat> prepareChat(const LoadedModel& model, int maxContext, const ChatRequest& chat);

/// What prepareChat would drop, or why it would refuse.
PreparedForecast forecastChat(const LoadedModel& model, int maxContext, const ChatRequest& chat);

/// The tokens with which every chat under a system prompt begins. Errors: kTemplate.
Result<std::vector<TokenId>> personaTokens(const LoadedModel& model, const QString& systemPrompt);

}  // namespace quire
