#include "app/engine/prompt_preparer.h"

#include <future>
#include <new>
#include <type_traits>
#include <utility>

#include "app/engine/prompt_length.h"
#include "app/engine/thread_priority.h"
#include "app/error_strings.h"

namespace quire {
namespace {

/// What `work` returns, or an error if it runs out of memory. Nothing catches an exception of a
/// thread of a pool, so that it would end the process with all its requests.
template <typename Work>
std::invoke_result_t<Work> withinMemory(const Work& work) try {
  return work();
} catch (const std::bad_alloc&) {
  return make_error(ErrorCode::kOutOfMemory,
                    "There is not enough memory to prepare this prompt. Close other programs, or "
                    "shorten it.");
}

}  // namespace

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

Result<PreparedChat> PromptPreparer::prepareNow(const ChatRequest& request, LastPrompt& last) {
  return withinMemory([&]() -> Result<PreparedChat> {
    const auto tried = tryAdapter(request.adapterPath);
    if (!tried) return tried.error();
    return last.prepare(m_model, m_maxContext, request, m_grammars.get());
  });
}

void PromptPreparer::forecast(const ChatRequest& request, std::function<bool()> isWanted,
                              std::function<void(PreparedForecast)> done) {
  m_questions.post([this, request, isWanted = std::move(isWanted), done = std::move(done)] {
    if (m_isEnding || !isWanted()) return done({});
    auto prepared = withinMemory(
        [&]() -> Result<PreparedForecast> { return forecastChat(m_model, m_maxContext, request); });
    done(prepared ? std::move(*prepared)
                  : PreparedForecast{{.error = errorText(prepared.error())}, {}});
  });
}

void PromptPreparer::personas(const QList<PersonaPrompt>& personas,
                              std::function<void(std::vector<PersonaTokens>)> done,
                              bool toBeComputed) {
  m_questions.post([this, personas, done = std::move(done), toBeComputed] {
    std::vector<PersonaTokens> prompts;
    for (const PersonaPrompt& persona : personas) {
      if (persona.systemPrompt.isEmpty() || m_isEnding) continue;
      auto tokens = withinMemory([&]() -> Result<std::vector<TokenId>> {
        const auto tried = toBeComputed ? tryAdapter(persona.adapterPath) : Result<void>();
        if (!tried) return tried.error();
        return personaTokens(m_model, m_maxContext, persona.systemPrompt);
      });
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
