#pragma once

#include "app/chat_backend.h"
#include "engine/engine.h"

namespace quire {

/// A chat as the engine takes it: rendered, cut to the context, with the sampling that is used.
struct PreparedChat {
  Request request;
  int droppedMessages = 0;  ///< The oldest turns after the system prompt, left out.
  int systemTurns = 0;      ///< At the head of ChatRequest::turns; they are never dropped.
};

/// Errors: kTemplate; kContextOverflow if not even the last message fits.
Result<PreparedChat> prepareChat(const Engine& engine, const ChatRequest& chat);

/// What prepareChat would drop, or why it would refuse.
ContextForecast forecastChat(const Engine& engine, const ChatRequest& chat);

}  // namespace quire
