// The worker's model: adopted, suspended, resumed, lost and freed.
#include <QCoreApplication>

#include <utility>

#include "app/engine/engine_worker.h"
#include "app/error_strings.h"
#include "engine/chat/chat_format.h"

namespace quire {
namespace {

constexpr size_t kMaxReopenings = 3;

struct EngineWorkerTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::EngineWorkerTexts)
};

}  // namespace

void EngineWorker::adoptModel(LoadNumber load, std::shared_ptr<ServingModel> model) {
  post([this, load, model = std::move(model)] {
    const bool isReload = m_phase == ModelPhase::kServing && m_serving->path == model->path;
    if (!isReload) return adopt(load, model);
    m_next = {load, model};
    advance(PhaseEvent::kDrain);
  });
}

void EngineWorker::drained() {
  Next next = std::exchange(m_next, {});
  next.model ? adopt(next.load, std::move(next.model)) : suspendNow();
}

void EngineWorker::adopt(LoadNumber load, std::shared_ptr<ServingModel> model) {
  finishRunning(EngineWorkerTexts::tr(
      "Another model was loaded while this answer was being written. What there was is "
      "kept; regenerate it to have all of it."));
  dropModel();
  m_openChats.clear();
  m_leftTurns.clear();
  m_pace.clear();
  m_serving = std::move(model);
  m_load = load;
  const Engine& engine = *m_serving->engine;
  m_preparer = std::make_unique<PromptPreparer>(engine.model(), engine.max_context(), m_trial);
  advance(PhaseEvent::kReady);
  measure(0, 0);
  announce();
}

void EngineWorker::dropModel() {
  m_preparer.reset();
  m_serving.reset();
  m_warm.clear();
  m_blockWatch.touch();
  for (auto& [id, waiting] : m_waiting) waiting.isPreparing = false;
}

void EngineWorker::announce() {
  const ModelDescription description = describe(*m_serving);
  const std::string& source = m_serving->engine->model().chat->template_source;
  m_origin = {.modelFingerprint = description.fingerprint,
              .templateHash = QString::fromStdString(template_hash(source)),
              .deviceName = description.deviceName};
  m_tell(ModelReady{m_load, description, m_serving->engine->model().chat});
  m_warm.clear();
  prepareWarm();
  prepareWaiting();
}

void EngineWorker::suspend(bool afterAnswers) {
  post([this, afterAnswers] {
    if (!afterAnswers || m_phase != ModelPhase::kServing) return suspendNow();
    m_next = {};
    advance(PhaseEvent::kDrain);
  });
}

void EngineWorker::suspendNow() {
  if (serves()) {
    m_warm.interrupt(*m_serving->engine);
    closeDraft(*m_serving);
    m_serving->engine->release_devices();
    m_serving->devices.close();
    advance(PhaseEvent::kSuspend);
    m_blockWatch.touch();
  }
  m_tell(RoomMade{});
}

void EngineWorker::resume() {
  post([this] {
    const bool neverLeft = m_phase == ModelPhase::kDraining && !m_next.model;
    if (!neverLeft && m_phase != ModelPhase::kSuspended) return;
    if (!neverLeft && !reopen({ErrorCode::kDevice, ""})) return;
    advance(PhaseEvent::kReady);
    announce();
  });
}

// A device that fails again and again is broken: then the answers fail with the reason.
void EngineWorker::reopenDevices() {
  constexpr std::chrono::minutes kWindow{10};
  const auto now = Clock::now();
  while (!m_reopenings.empty() && now - m_reopenings.front() > kWindow) m_reopenings.pop_front();
  const Error failure = *m_serving->engine->device_failure();
  if (m_reopenings.size() == kMaxReopenings) return fail(failure);
  m_reopenings.push_back(now);
  if (reopen(failure)) announce();
}

bool EngineWorker::reopen(const Error& failure) {
  const auto reopened = quire::reopen(*m_serving);
  if (reopened) return true;
  const std::string separator = failure.message.empty() ? "" : " ";
  fail({failure.code, failure.message + separator + reopened.error().message});
  return false;
}

void EngineWorker::fail(const Error& failure) {
  take(m_serving->engine->end_all(failure));
  if (m_phase == ModelPhase::kDraining && m_next.model) return drained();
  const bool isDraining = m_phase == ModelPhase::kDraining;
  m_error = errorText(failure);
  dropModel();
  advance(PhaseEvent::kFail);
  finishWaiting(m_error);
  m_tell(ModelFailed{.load = m_load, .error = m_error});
  if (isDraining) drained();
}

void EngineWorker::unloadModel(const QString& sentence) {
  post([this, sentence] {
    if (m_phase == ModelPhase::kDraining) drained();
    if (serves()) saveToPrefixStore();
    finishRunning(sentence);
    finishWaiting(sentence);
    m_error = sentence;
    if (m_serving) measure(0, 0);
    dropModel();
    advance(PhaseEvent::kUnloaded);
    m_tell(ModelUnloaded{});
  });
}

// What the answers computed so far goes to the prefix store too, as far as time allows.
void EngineWorker::saveToPrefixStore() {
  constexpr std::chrono::milliseconds kTime{500};
  Engine& engine = *m_serving->engine;
  m_warm.interrupt(engine);
  for (const auto& [engineId, running] : m_running) engine.cancel(engineId);
  const auto end = Clock::now() + kTime;
  while (engine.has_work() && Clock::now() < end) engine.step();
}

}  // namespace quire
