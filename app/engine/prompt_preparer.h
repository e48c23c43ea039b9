#pragma once

#include <QList>

#include <atomic>
#include <stop_token>
#include <utility>

#include "app/engine/chat_preparation.h"
#include "app/engine/last_prompt.h"
#include "app/engine/model_trial.h"
#include "app/task_runner.h"

namespace quire {

/// Renders and tokenises prompts, and compiles formats of answers, for one model on three threads
/// of its own, so that the engine's thread only computes: one thread for requests, one in the
/// background for other programs' very long ones, and one for all other prompts.
///
/// Thread: calls from any; `done` is called on the preparer's threads. The model, whose tokenizer
/// and template do not change, outlives it.
/// Invariants: `done` of a forecast is called exactly once, with an empty one if the preparer is
/// destroyed earlier; the destructor waits for the prompts being prepared.
class PromptPreparer {
 public:
  /// `trial` is made of each adapter before it is loaded; empty: none.
  PromptPreparer(const LoadedModel& model, int maxContext, TrialOfModel trial = {})
      : m_model(model),
        m_maxContext(maxContext),
        m_trial(std::move(trial)),
        m_grammars(grammarsOf(model)) {}
  ~PromptPreparer();

  /// The request's priority decides which of those that wait is next. An adapter that fails its
  /// trial is the error. `done` is not called if `isWanted` returns false when it is the request's
  /// turn, or if the preparer is destroyed first.
  void prepare(const ChatRequest& request, std::function<bool()> isWanted,
               std::function<void(Result<PreparedChat>)> done);
  /// Calls `isWanted` first, and prepares nothing if it returns false.
  void forecast(const ChatRequest& request, std::function<bool()> isWanted,
                std::function<void(PreparedForecast)> done);
  /// The tokens that the chats of each of these personas begin with, as far as they can be
  /// rendered. Those whose adapter fails its trial are left out if they are `toBeComputed`.
  void personas(const QList<PersonaPrompt>& personas,
                std::function<void(std::vector<PersonaTokens>)> done, bool toBeComputed = false);

 private:
  Result<void> tryAdapter(const QString& path) const;
  /// Errors: kOutOfMemory too, which would otherwise end the process with all its requests.
  Result<PreparedChat> prepareNow(const ChatRequest& request, LastPrompt& last);

  const LoadedModel& m_model;
  const int m_maxContext;
  const TrialOfModel m_trial;
  const std::unique_ptr<GrammarCache> m_grammars;
  LastPrompt m_lastRequest;      ///< Of m_requests' thread.
  LastPrompt m_lastLongRequest;  ///< Of m_longRequests' thread.
  std::stop_source m_stop;       ///< Of trials.
  std::atomic<bool> m_isEnding = false;
  TaskRunner m_requests;
  TaskRunner m_longRequests;  ///< Of other programs; the others would wait for them.
  TaskRunner m_questions;
};

}  // namespace quire
