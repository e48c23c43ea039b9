#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "app/engine/engine_inspector.h"
#include "engine/engine.h"
#include "engine/grammar/grammar_cache.h"

namespace quire {

/// A chat prepared for the engine: rendered, cut to the context, with its sampling parameters.
struct PreparedChat {
  Request request;
  std::vector<TokenId> answered;  ///< The tokens of a continued answer; the prompt ends with them.
  int droppedMessages = 0;        ///< The oldest turns after the system prompt, left out.
  int systemTurns = 0;            ///< At the head of ChatRequest::turns; they are never dropped.
};

/// A forecast whose cachedTokens are still to be counted, of `prompt`.
struct PreparedForecast {
  ContextForecast forecast;
  std::vector<TokenId> prompt;
};

/// The tokens with which every chat of a persona begins.
struct PersonaTokens {
  std::vector<TokenId> tokens;
  std::filesystem::path adapter = {};  ///< Empty: the model alone.
};

// These functions read only immutable parts of a model, so any thread may call them.

/// For a context of so many tokens. `grammars`: of the model, for the answer's format; null: a
/// format is compiled for this chat alone. Errors: kTemplate; kContextOverflow if not even the last
/// message fits; kInvalidArgument for a schema that is not supported.
Result<PreparedChat> prepareChat(const LoadedModel& model, int maxContext, const ChatRequest& chat,
                                 GrammarCache* grammars = nullptr);

/// The same prompt with the sampling parameters and the priority of another request that has it.
/// Errors: kInvalidArgument for those of a raw prompt.
Result<PreparedChat> withSampling(const LoadedModel& model, int maxContext, PreparedChat prepared,
                                  const ChatRequest& chat);

/// The cache for the grammars of a model's answers.
std::unique_ptr<GrammarCache> grammarsOf(const LoadedModel& model);

/// Forecasts what prepareChat would drop, or its error.
PreparedForecast forecastChat(const LoadedModel& model, int maxContext, const ChatRequest& chat);

/// The prompt of the whole chat, or of the raw prompt, for any context. Errors: kTemplate,
/// kInvalidArgument.
Result<std::vector<TokenId>> promptTokens(const ChatFormat& format, const ChatRequest& chat);

/// The tokens with which every chat under a system prompt begins. Errors: kTemplate;
/// kContextOverflow if the prompt has far more tokens than the context.
Result<std::vector<TokenId>> personaTokens(const LoadedModel& model, int maxContext,
                                           const QString& systemPrompt);

}  // namespace quire
