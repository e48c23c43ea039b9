#pragma once

#include <QList>

#include <atomic>

#include "app/engine/chat_preparation.h"
#include "app/task_runner.h"

namespace quire {

/// Renders and tokenises prompts for one model on two threads of its own, so that the engine's
/// thread only computes: one thread for requests, one for all other prompts.
///
/// Thread: calls from any; `done` is called on the preparer's threads. The model, whose tokenizer
/// and template do not change, outlives it.
/// Invariants: `done` of a forecast is called exactly once, with an empty one if the preparer is
/// destroyed earlier; the destructor waits for the prompts being prepared.
class PromptPreparer {
 public:
  PromptPreparer(const LoadedModel& model, int maxContext)
      : m_model(model), m_maxContext(maxContext) {}
  ~PromptPreparer();

  /// `done` is not called if the preparer is destroyed first.
  void prepare(const ChatRequest& request, std::function<void(Result<PreparedChat>)> done);
  /// Calls `isWanted` first, and prepares nothing if it returns false.
  void forecast(const ChatRequest& request, std::function<bool()> isWanted,
                std::function<void(PreparedForecast)> done);
  /// The tokens that the chats of each of these personas begin with, as far as they can be
  /// rendered.
  void personas(const QList<PersonaPrompt>& personas,
                std::function<void(std::vector<PersonaTokens>)> done);

 private:
  const LoadedModel& m_model;
  const int m_maxContext;
  std::atomic<bool> m_isEnding = false;
  TaskRunner m_requests;
  TaskRunner m_questions;
};

}  // namespace quire
