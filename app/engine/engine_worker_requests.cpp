// The worker's side of requests and of questions about prompts.
#include <utility>

#include "app/engine/engine_worker.h"
#include "app/error_strings.h"

namespace quire {
namespace {

constexpr size_t kMaxOpenChats = 8;

/// Why a chat cannot be answered with its adapter.
Error adapterError(const Error& error, const QString& path) {
  if (error.code != ErrorCode::kNotFound) return error;
  return make_error(ErrorCode::kNotFound,
                    "The adapter %1 is not there any more. Choose it again in the persona, or "
                    "remove it from there.",
                    {path.toStdString()});
}

PersonaReport reportOf(const PrefixHolding& holding, size_t tokens) {
  return {.tokens = static_cast<int>(tokens),
          .residentTokens = holding.resident_tokens,
          .diskTokens = holding.stored_tokens,
          .sharingChats = holding.chats,
          .bytesSaved = holding.saved_bytes};
}

}  // namespace

void EngineWorker::submit(RequestId id, const ChatRequest& request,
                          std::shared_ptr<AnswerSink> sink) {
  post([this, id, request, sink = std::move(sink)] {
    if (isEmpty(m_phase)) {
      return finish(
          id, *sink,
          {.finish = FinishReason::kFailed, .error = m_error, .errorCode = ErrorCode::kCancelled});
    }
    m_waiting.emplace(id, Waiting{request, sink});
    prepareWaiting();
  });
}

void EngineWorker::prepareWaiting() {
  if (m_phase != ModelPhase::kServing) return;
  for (auto& [id, waiting] : m_waiting) {
    if (std::exchange(waiting.isPreparing, true)) continue;
    const auto isWanted = [life = std::weak_ptr(waiting.life)] { return !life.expired(); };
    const auto done = [this, request = id, load = m_load](Result<PreparedChat> chat) {
      post([this, load, request, chat = std::move(chat)] { onPrepared(load, request, chat); });
    };
    m_preparer->prepare(waiting.request, isWanted, done);
  }
}

/// The request may have been cancelled meanwhile, or another model may serve.
void EngineWorker::onPrepared(LoadNumber load, RequestId id, Result<PreparedChat> chat) {
  const auto found = m_waiting.find(id);
  if (load != m_load || found == m_waiting.end()) return;
  found->second.isPreparing = false;
  if (m_phase != ModelPhase::kServing) return;
  const auto node = m_waiting.extract(found);
  if (chat) return start(id, node.mapped(), std::move(*chat));
  refuse(id, *node.mapped().sink, chat.error());
}

void EngineWorker::start(RequestId id, const Waiting& waiting, PreparedChat chat) {
  Engine& engine = *m_serving->engine;
  const QString& adapterPath = waiting.request.adapterPath;
  if (!adapterPath.isEmpty()) {
    const auto adapter = engine.add_adapter(adapterPath.toStdString());
    if (!adapter) {
      return refuse(id, *waiting.sink, adapterError(adapter.error(), adapterPath));
    }
    chat.request.adapter = *adapter;
  }
  m_warm.interrupt(engine);
  const qint64 chatId = waiting.request.chatId;
  AnswerSource source = {.origin = m_origin,
                         .answered = {chat.answered.begin(), chat.answered.end()},
                         .droppedMessages = chat.droppedMessages,
                         .systemTurns = chat.systemTurns,
                         .chatId = chatId,
                         .tokenizer = m_serving->engine->model().chat->tokenizer};
  source.origin.sampling = chat.request.sampling;
  source.origin.adapterPath = adapterPath;
  source.origin.promptTokens = {chat.request.prompt.begin(),
                                chat.request.prompt.end() - chat.request.answered};
  chat.request.priority = waiting.request.priority;
  const auto submitted = engine.submit(std::move(chat.request));
  if (!submitted) return refuse(id, *waiting.sink, submitted.error());
  keepOpen(chatId);
  m_leftTurns[chatId] = {source.systemTurns, source.droppedMessages};
  if (m_running.empty()) m_pace.restart();
  m_running.emplace(*submitted, Running{id, AnswerStream(waiting.sink, std::move(source))});
}

void EngineWorker::keepOpen(qint64 chatId) {
  std::erase(m_openChats, chatId);
  m_openChats.push_back(chatId);
  m_serving->engine->set_chat_open(chatId, true);
  if (m_openChats.size() <= kMaxOpenChats) return;
  m_serving->engine->set_chat_open(m_openChats.front(), false);
  m_leftTurns.erase(m_openChats.front());
  m_openChats.pop_front();
}

void EngineWorker::cancel(RequestId id) {
  post([this, id] {
    if (const auto node = m_waiting.extract(id)) {
      return finish(id, *node.mapped().sink, {.finish = FinishReason::kCancelled});
    }
    for (const auto& [engineId, running] : m_running) {
      if (running.id != id) continue;
      m_serving->engine->cancel(engineId);
      return take(m_serving->engine->take_ended());  // There may be no next step for long.
    }
  });
}

void EngineWorker::setPriority(RequestId id, int priority) {
  post([this, id, priority] {
    if (const auto waiting = m_waiting.find(id); waiting != m_waiting.end()) {
      waiting->second.request.priority = priority;
    }
    for (const auto& [engineId, running] : m_running) {
      if (running.id != id) continue;
      m_serving->engine->set_priority(engineId, priority);
    }
  });
}

void EngineWorker::finish(RequestId id, AnswerSink& sink, const AnswerReport& report) {
  sink.finished(report);
  m_tell(RequestEnded{id});
}

void EngineWorker::refuse(RequestId id, AnswerSink& sink, const Error& error) {
  finish(id, sink,
         {.finish = FinishReason::kFailed, .error = errorText(error), .errorCode = error.code});
}

void EngineWorker::finishRunning(const QString& error) {
  for (auto& [engineId, running] : m_running) {
    running.stream.end(FinishReason::kFailed, error, ErrorCode::kCancelled);
    m_tell(RequestEnded{running.id});
  }
  m_running.clear();
}

void EngineWorker::finishWaiting(const QString& error) {
  for (const auto& [id, waiting] : std::exchange(m_waiting, {})) {
    finish(id, *waiting.sink,
           {.finish = FinishReason::kFailed, .error = error, .errorCode = ErrorCode::kCancelled});
  }
  tellEnded(m_embeddings.fail(error));
}

void EngineWorker::embed(EmbedQueue::Job job) {
  post([this, job = std::move(job)] {
    m_embeddings.add(job);
    if (isEmpty(m_phase)) tellEnded(m_embeddings.fail(m_error));
  });
}

void EngineWorker::tellEnded(const std::vector<RequestId>& ids) {
  for (const RequestId id : ids) m_tell(RequestEnded{id});
}

void EngineWorker::forecast(const ChatRequest& request, Reply<ContextForecast> reply) {
  post([this, request, reply = std::move(reply)] {
    if (!m_preparer) return reply({});
    const auto count = [this, load = m_load, adapter = request.adapterPath,
                        reply](PreparedForecast prepared) {
      post([this, load, adapter, reply, prepared = std::move(prepared)] {
        ContextForecast forecast = prepared.forecast;
        if (load == m_load && m_serving) {
          const Engine& engine = *m_serving->engine;
          const auto id = engine.find_adapter(adapter.toStdString());
          if (id) forecast.cachedTokens = engine.count_cached(prepared.prompt, *id);
        }
        reply(forecast);
      });
    };
    m_preparer->forecast(
        request, [reply] { return !reply.isWithdrawn(); }, count);
  });
}

void EngineWorker::measurePersona(const PersonaPrompt& persona, Reply<PersonaReport> reply) {
  post([this, persona, reply = std::move(reply)] {
    if (!m_preparer || reply.isWithdrawn()) return reply({});
    using Prompts = std::vector<PersonaTokens>;
    m_preparer->personas({persona}, [this, load = m_load, reply](Prompts prompts) {
      post([this, load, reply, prompts = std::move(prompts)] {
        if (load != m_load || !serves() || prompts.empty()) return reply({});
        const auto& [tokens, adapterPath] = prompts[0];
        const auto adapter = m_serving->engine->find_adapter(adapterPath);
        if (!adapter) return reply({.tokens = static_cast<int>(tokens.size())});
        reply(reportOf(m_serving->engine->holding(tokens, *adapter), tokens.size()));
      });
    });
  });
}

void EngineWorker::keepWarm(const QList<PersonaPrompt>& personas) {
  post([this, personas] {
    if (std::exchange(m_warmPrompts, personas) != personas) prepareWarm();
  });
}

void EngineWorker::prepareWarm() {
  if (!m_preparer) return;
  const auto done = [this, load = m_load](std::vector<PersonaTokens> prompts) {
    post([this, load, prompts = std::move(prompts)] {
      if (load == m_load && serves()) m_warm.set(*m_serving->engine, prompts);
    });
  };
  m_preparer->personas(m_warmPrompts, done, /*toBeComputed=*/true);
}

void EngineWorker::forgetChat(qint64 chatId) {
  post([this, chatId] {
    m_blockWatch.touch();
    if (m_serving) m_serving->engine->forget_chat(chatId);
  });
}

}  // namespace quire
