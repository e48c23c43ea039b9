// What the worker does when it is asked to: its side of the calls of EngineWorker.
#include <QCoreApplication>

#include <algorithm>
#include <utility>

#include "app/engine/chat_preparation.h"
#include "app/engine/engine_worker.h"
#include "app/engine/model_description.h"
#include "app/error_strings.h"
#include "engine/chat/template_source.h"

namespace quire {

using engine_command::Adopt;
using engine_command::Cancel;
using engine_command::Forecast;
using engine_command::Forget;
using engine_command::Measure;
using engine_command::Pause;
using engine_command::ReadBlock;
using engine_command::Resume;
using engine_command::SetPriority;
using engine_command::Submit;
using engine_command::Suspend;
using engine_command::Unload;
using engine_command::Warm;
using engine_command::Watch;

namespace {

struct EngineWorkerTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::EngineWorkerTexts)
};

/// What every answer of this model is made from; the prompt and the sampling are the request's.
AnswerOrigin originOf(const LoadedModel& model, const ModelDescription& description) {
  return {.modelFingerprint = description.fingerprint,
          .templateHash = QString::fromStdString(template_hash(model.template_source)),
          .deviceName = description.deviceName};
}

}  // namespace

void EngineWorker::handle(Submit& command) {
  if (mayServe() && !isDraining()) return start(command);
  if (!m_serving) return refuse(command, FinishReason::kFailed, m_loadError);
  m_waiting.push_back(std::move(command));
}

void EngineWorker::start(Submit& command) {
  Engine& engine = *m_serving->engine;
  m_warm.giveWay(engine);
  auto chat = prepareChat(engine, command.request);
  if (!chat) return refuse(command, FinishReason::kFailed, errorText(chat.error()));
  AnswerSource source = {.origin = m_origin,
                         .answered = {chat->answered.begin(), chat->answered.end()},
                         .droppedMessages = chat->droppedMessages,
                         .systemTurns = chat->systemTurns,
                         .chatId = command.request.chatId};
  source.origin.sampling = chat->request.sampling;
  source.origin.promptTokens = {chat->request.prompt.begin(),
                                chat->request.prompt.end() - chat->request.answered};
  const auto id = engine.submit(std::move(chat->request));
  if (!id) return refuse(command, FinishReason::kFailed, errorText(id.error()));
  keepOpen(command.request.chatId);
  m_leftTurns[command.request.chatId] = {source.systemTurns, source.droppedMessages};
  if (m_running.empty()) m_pace.restart();
  m_running.emplace(*id, Running{command.id, AnswerStream(command.sink, std::move(source))});
}

void EngineWorker::handle(Forecast& command) {
  if (command.reply.isWithdrawn()) return;
  command.reply(m_serving ? forecastChat(*m_serving->engine, command.request) : ContextForecast());
}

void EngineWorker::handle(Measure& command) {
  if (command.reply.isWithdrawn()) return;
  command.reply(mayServe() ? quire::measurePersona(*m_serving->engine, command.systemPrompt)
                           : PersonaReport());
}

void EngineWorker::handle(Warm& command) {
  m_warm.set(mayServe() ? m_serving->engine.get() : nullptr, command.systemPrompts);
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

void EngineWorker::refuse(const Submit& command, FinishReason finish, const QString& error) {
  AnswerStream(command.sink).end(finish, error);
  m_outbox.push(RequestEnded{command.id});
}

void EngineWorker::handle(Cancel& command) {
  const auto waiting = std::find_if(m_waiting.begin(), m_waiting.end(),
                                    [&](const Submit& submit) { return submit.id == command.id; });
  if (waiting != m_waiting.end()) {
    const Submit cancelled = std::move(*waiting);
    m_waiting.erase(waiting);
    return refuse(cancelled, FinishReason::kCancelled);
  }
  for (const auto& [engineId, running] : m_running) {
    if (running.id != command.id) continue;
    m_serving->engine->cancel(engineId);
    return take(m_serving->engine->take_ended());  // There may be no next step for long.
  }
}

void EngineWorker::handle(SetPriority& command) {
  for (Submit& waiting : m_waiting) {
    if (waiting.id == command.id) waiting.request.priority = command.priority;
  }
  for (const auto& [engineId, running] : m_running) {
    if (running.id != command.id) continue;
    m_serving->engine->set_focused(engineId, command.priority >= kFocusedPriority);
  }
}

void EngineWorker::handle(Watch& command) {
  m_blockWatch.setOn(command.watched);
  if (command.watched && mayServe()) measure(0, m_running.size());
}

void EngineWorker::handle(ReadBlock& command) {
  if (!mayServe()) return;
  const auto text = m_serving->engine->block_text(command.block);
  BlockReading reading = quire::readBlock(text.value_or(BlockText()), command.block);
  const auto left = m_leftTurns.find(reading.chatIds.value(0));
  if (text && left != m_leftTurns.end()) {
    reading.message = messageInChat(text->message, left->second);
  }
  command.reply(reading);
}

void EngineWorker::handle(Pause& command) {
  m_isPaused = command.paused;
  m_pace.restart();
  if (m_isPaused && m_serving) report(0.0, m_running.size());
}

void EngineWorker::handle(Forget& command) {
  m_blockWatch.touch();
  if (m_serving) m_serving->engine->forget_chat(command.chatId);
}

void EngineWorker::endRunning(const QString& sentence) {
  for (auto& [engineId, running] : m_running) {
    running.stream.end(FinishReason::kFailed, sentence);
    m_outbox.push(RequestEnded{running.id});
  }
  m_running.clear();
}

void EngineWorker::handle(Adopt& command) {
  const bool isSame = mayServe() && m_serving->path == command.model->path;
  m_nextModel = std::move(command);
  if (!isSame) endDraining();
}

void EngineWorker::endDraining() {
  if (auto next = std::exchange(m_nextModel, std::nullopt)) adopt(*next);
  if (std::exchange(m_suspendsNext, false)) suspendNow();
}

void EngineWorker::adopt(Adopt& command) {
  endRunning(EngineWorkerTexts::tr(
      "Another model was loaded while this answer was being written. What there was is "
      "kept; regenerate it to have all of it."));
  m_openChats.clear();
  m_leftTurns.clear();
  m_pace.clear();
  m_blockWatch.touch();
  m_serving = std::move(command.model);
  m_isSuspended = false;
  measure(0, m_running.size());
  m_served = command.load;
  announce(command.load);
  startWaiting();
}

void EngineWorker::startWaiting() {
  for (Submit& waiting : std::exchange(m_waiting, {})) start(waiting);
}

void EngineWorker::announce(LoadNumber load) {
  const ModelDescription description = describe(*m_serving);
  m_origin = originOf(m_serving->engine->model(), description);
  m_outbox.push(ModelReady{load, description});
  m_warm.adopt(m_serving->engine.get());
}

void EngineWorker::handle(Suspend& command) {
  if (!command.afterAnswers) return suspendNow();
  m_suspendsNext = true;  // As soon as nothing is being written, which may be now.
}

void EngineWorker::suspendNow() {
  if (mayServe()) {
    m_warm.giveWay(*m_serving->engine);
    m_serving->engine->release_devices();
    m_serving->devices.close();
    m_isSuspended = true;
    m_blockWatch.touch();
  }
  m_outbox.push(RoomMade{});
}

void EngineWorker::handle(Resume&) {
  const bool neverLeft = std::exchange(m_suspendsNext, false) && mayServe();
  if (!neverLeft && (!m_isSuspended || !reopen({ErrorCode::kDevice, ""}))) return;
  announce(m_served);
  startWaiting();
}

void EngineWorker::handle(Unload& command) {
  endDraining();
  if (mayServe()) keepForNextTime();
  endRunning(command.sentence);
  for (const Submit& waiting : std::exchange(m_waiting, {})) {
    refuse(waiting, FinishReason::kFailed, command.sentence);
  }
  m_loadError = command.sentence;
  if (m_serving) measure(0, m_running.size());
  m_serving.reset();
  m_isSuspended = false;
  m_blockWatch.touch();
  m_outbox.push(ModelUnloaded{});
}

}  // namespace quire
