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

/// Errors: kTemplate; kContextOverflow if not even the last message fits.
Result<PreparedChat> prepareChat(const Engine& engine, const ChatRequest& chat);

/// What prepareChat would drop, or why it would refuse.
ContextForecast forecastChat(const Engine& engine, const ChatRequest& chat);

/// The tokens with which every chat under a system prompt begins. Errors: kTemplate.
Result<std::vector<TokenId>> personaTokens(const Engine& engine, const QString& systemPrompt);

/// What is kept of a system prompt; nothing for an empty one, or one that cannot be rendered.
PersonaReport measurePersona(const Engine& engine, const QString& systemPrompt);

}  // namespace quire
