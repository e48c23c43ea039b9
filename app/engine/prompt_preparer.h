#pragma once

#include <QStringList>

#include <atomic>

#include "app/engine/chat_preparation.h"
#include "app/task_runner.h"

namespace quire {

/// Renders and tokenises prompts for one model on threads of its own, so that the engine's thread
/// only computes: one for requests, and one for all else.
///
/// Thread: calls from any; `done` is called on the preparer's threads. The model, whose tokenizer
/// and template do not change, outlives it.
/// Invariants: `done` of a question is called exactly once, empty if the preparer is destroyed
/// before its turn; the destructor waits for the prompts under way.
class PromptPreparer {
 public:
  PromptPreparer(const LoadedModel& model, int maxContext)
      : m_model(model), m_maxContext(maxContext) {}
  ~PromptPreparer();

  /// `done` is not called if the preparer is destroyed first.
  void prepare(const ChatRequest& request, std::function<void(Result<PreparedChat>)> done);
  /// `isWanted` is asked first: what is not wanted any more is not prepared.
  void forecast(const ChatRequest& request, std::function<bool()> isWanted,
                std::function<void(PreparedForecast)> done);
  /// The tokens that each of these system prompts begins with, as far as it can be rendered.
  void personas(const QStringList& systemPrompts,
                std::function<void(std::vector<std::vector<TokenId>>)> done);

 private:
  const LoadedModel& m_model;
  const int m_maxContext;
  std::atomic<bool> m_isEnding = false;
  TaskRunner m_requests;
  TaskRunner m_questions;
};

}  // namespace quire
