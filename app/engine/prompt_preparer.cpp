#include "app/engine/prompt_preparer.h"

#include <future>
#include <new>
#include <utility>

#include "app/engine/prompt_length.h"
#include "app/engine/thread_priority.h"

namespace quire {

PromptPreparer::~PromptPreparer() {
  m_isEnding = true;
  m_stop.request_stop();
  std::promise<void> drained;  // Questions that wait are answered, with nothing.
  m_questions.post([&] { drained.set_value(); });
  drained.get_future().wait();
}

void PromptPreparer::prepare(const ChatRequest& request, std::function<bool()> isWanted,
                             std::function<void(Result<PreparedChat>)> done) {
  const bool isLong = promptBytes(request) > kLongPromptBytes;
  // The window's own are few, and their user waits.
  const bool isSetBack = isLong && request.priority <= kApiPriority;
  LastPrompt& last = isSetBack ? m_lastLongRequest : m_lastRequest;
  const auto job = [this, &last, isSetBack, request, isWanted = std::move(isWanted),
                    done = std::move(done)] {
    if (isSetBack) letTheEngineGoFirst();
    if (!isWanted()) return;
    done(prepareNow(request, last));
  };
  (isSetBack ? m_longRequests : m_requests).post(job, request.priority);
}

Result<PreparedChat> PromptPreparer::prepareNow(const ChatRequest& request, LastPrompt& last) try {
  const auto tried = tryAdapter(request.adapterPath);
  if (!tried) return tried.error();
  return last.prepare(m_model, m_maxContext, request, m_grammars.get());
} catch (const std::bad_alloc&) {
  return make_error(ErrorCode::kOutOfMemory,
                    "There is not enough memory to prepare this prompt. Close other programs, or "
                    "shorten it.");
}

void PromptPreparer::forecast(const ChatRequest& request, std::function<bool()> isWanted,
                              std::function<void(PreparedForecast)> done) {
  m_questions.post([this, request, isWanted = std::move(isWanted), done = std::move(done)] {
    const bool isNeeded = !m_isEnding && isWanted();
    done(isNeeded ? forecastChat(m_model, m_maxContext, request) : PreparedForecast());
  });
}

void PromptPreparer::personas(const QList<PersonaPrompt>& personas,
                              std::function<void(std::vector<PersonaTokens>)> done,
                              bool toBeComputed) {
  m_questions.post([this, personas, done = std::move(done), toBeComputed] {
    std::vector<PersonaTokens> prompts;
    for (const PersonaPrompt& persona : personas) {
      if (persona.systemPrompt.isEmpty() || m_isEnding) continue;
      if (toBeComputed && !tryAdapter(persona.adapterPath)) continue;
      auto tokens = personaTokens(m_model, m_maxContext, persona.systemPrompt);
      if (tokens) prompts.push_back({std::move(*tokens), persona.adapterPath.toStdString()});
    }
    done(std::move(prompts));
  });
}

Result<void> PromptPreparer::tryAdapter(const QString& path) const {
  if (path.isEmpty() || !m_trial) return {};
  return m_trial(path, m_stop.get_token());
}

}  // namespace quire
