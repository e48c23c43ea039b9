#include "app/engine/engine_service.h"

#include <algorithm>

namespace quire {
namespace {

constexpr int kDeliveryIntervalMs = 33;  // About 30 times a second.
constexpr int kIdleChecksPerMinute = 4;

}  // namespace

EngineService::EngineService(const EngineServiceOptions& options, QObject* parent)
    : ChatBackend(parent),
      m_msPerIdleMinute(options.msPerIdleMinute),
      m_pool(
          {.backend = options.backend,
           .engine = options.engine,
           .bundledModelPath = options.bundledModelPath,
           .wake =
               [this] { QMetaObject::invokeMethod(this, "onOutboxFilled", Qt::QueuedConnection); },
           .heard = [this](ServedModel& model,
                           const ServiceEvent& event) { hear(model, event); }}) {
  qRegisterMetaType<RequestId>("quire::RequestId");
  qRegisterMetaType<ContextForecast>("quire::ContextForecast");
  qRegisterMetaType<PromptReport>("quire::PromptReport");
  qRegisterMetaType<AnswerReport>("quire::AnswerReport");
  m_deliveryTimer.setSingleShot(true);
  m_deliveryTimer.setTimerType(Qt::PreciseTimer);
  connect(&m_deliveryTimer, &QTimer::timeout, this, &EngineService::deliver);
  connect(&m_idleTimer, &QTimer::timeout, this, &EngineService::unloadIdle);
  connect(&m_pool, &ModelPool::changed, this, &EngineService::onPoolChanged);
  connect(&m_pool, &ModelPool::loadFailed, this, &EngineService::loadFailed);
  if (!options.modelPath.isEmpty()) loadModel(options.modelPath);
}

// Models ---------------------------------------------------------------------------------------

void EngineService::loadModel(const LoadRequest& request) {
  m_pool.load(request, /*byUser=*/true);
}

void EngineService::askLoadPlan(quint64 number, const LoadRequest& request) {
  m_questions.post([this, number, input = m_pool.planInput(request, /*mayEndAnswers=*/true)] {
    const LoadPlan plan = planLoad(input).plan;
    QMetaObject::invokeMethod(
        this, [this, number, plan] { emit loadPlanned(number, plan); }, Qt::QueuedConnection);
  });
}

void EngineService::askDevices() {
  m_questions.post([this] {
    const QList<ComputeDevice> devices = listComputeDevices();
    QMetaObject::invokeMethod(
        this, [this, devices] { emit devicesListed(devices); }, Qt::QueuedConnection);
  });
}

void EngineService::setIdleUnload(int minutes) {
  m_idleMinutes = std::max(0, minutes);
  watchIdle();
}

void EngineService::setIdleUnload(const QString& path, std::optional<int> minutes) {
  if (minutes) {
    m_idleOf.insert(path, std::max(0, *minutes));
  } else {
    m_idleOf.remove(path);
  }
  watchIdle();
}

void EngineService::watchIdle() {
  const bool isWanted = m_idleMinutes > 0 || std::any_of(m_idleOf.cbegin(), m_idleOf.cend(),
                                                         [](int of) { return of > 0; });
  if (!isWanted) return m_idleTimer.stop();
  if (!m_idleTimer.isActive()) {
    m_idleTimer.start(std::max(1, m_msPerIdleMinute / kIdleChecksPerMinute));
  }
}

void EngineService::unloadIdle() {
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  m_pool.unloadIdle([&](const ServedModel& model) {
    const int minutes = m_idleOf.value(model.path(), m_idleMinutes);
    return minutes > 0 && model.lastUsedMs <= now - qint64{minutes} * m_msPerIdleMinute;
  });
}

void EngineService::setLoadRequest(const LoadRequest& request) {
  m_requestFor.insert(request.path, request);
}

LoadRequest EngineService::requestFor(const QString& path) const {
  const auto own = m_requestFor.constFind(path);
  LoadRequest request = own != m_requestFor.cend() ? *own : m_requestFor.value(QString());
  request.path = path;
  return request;
}

const ModelReady& EngineService::primary() const {
  static const ModelReady kNone;
  const ServedModel* const model = m_pool.primary();
  return model == nullptr ? kNone : model->ready;
}

ChatBackend::State EngineService::state() const {
  const ServedModel* const model = m_pool.primary();
  if (m_pool.nextPrimary() != nullptr) return State::Loading;
  if (model == nullptr) return State::Loading;  // Somebody will say which.
  if (model->isServing() || model->memory == ServedModel::Memory::kSuspended) return State::Ready;
  if (model->isLoading()) return State::Loading;
  return model->error.isEmpty() ? State::Unloaded : State::Failed;
}

double EngineService::loadProgress() const {
  if (const ServedModel* const next = m_pool.nextPrimary()) return next->clock.fraction();
  const ServedModel* const model = m_pool.primary();
  if (model != nullptr && model->isLoading()) return model->clock.fraction();
  return state() == State::Ready && m_pool.notice().isEmpty() ? 1.0 : 0.0;
}

bool EngineService::isDemonstration() const {
  const ServedModel* const model = m_pool.primary();
  return model != nullptr && model->ready.load != 0 && model->isDemonstration;
}

QString EngineService::modelPath() const {
  const ServedModel* const model = m_pool.primary();
  return model != nullptr && model->isServing() ? model->ready.path : QString();
}

EngineStats EngineService::stats() const {
  const ServedModel* const model = m_pool.primary();
  return model == nullptr ? EngineStats() : model->stats;
}

void EngineService::onPoolChanged() {
  const ServedModel* const model = m_pool.primary();
  const QString watched = m_isWatching && model != nullptr ? model->path() : QString();
  if (watched != m_watched) {
    if (ServedModel* const before = m_pool.find(m_watched)) before->worker.watchBlocks(false);
    m_watched = watched;
    if (ServedModel* const now = m_pool.find(m_watched)) now->worker.watchBlocks(true);
  }
  measurePrimary();
  for (const auto& one : m_pool.models()) {
    if (one->warm == m_warm) continue;
    one->warm = m_warm;
    one->worker.keepWarm(m_warm);
  }
  sendWaiting();
  emit stateChanged();
  emit modelsChanged();
}

// Whoever looks at the figures must not go on seeing those of a model that has left.
void EngineService::measurePrimary() {
  const ServedModel* const model = m_pool.primary();
  const bool isServing = model != nullptr && model->isServing();
  const QString path = isServing ? model->path() : QString();
  if (path == m_measured) return;
  m_measured = path;
  emit engineMeasured(isServing ? model->report : EngineReport());
}

// Requests -------------------------------------------------------------------------------------

RequestId EngineService::submit(const ChatRequest& request) {
  const RequestId id = ++m_lastRequest;
  m_live.insert(id, {});
  if (request.focused) m_focused = id;
  m_waiting.append({id, request});
  sendWaiting();
  return id;
}

/// The model that is to answer; null if it is not known yet.
ServedModel* EngineService::modelOf(const ChatRequest& request) const {
  return request.modelPath.isEmpty() ? m_pool.primary() : m_pool.find(request.modelPath);
}

EngineService::Next EngineService::nextFor(const ChatRequest& request, ServedModel*& model) {
  model = modelOf(request);
  if (model == nullptr && request.modelPath.isEmpty()) return Next::kWait;
  if (model == nullptr) {
    m_pool.load(requestFor(request.modelPath), /*byUser=*/false);
    return Next::kWait;
  }
  const bool mayChange = request.modelPath.isEmpty() && m_pool.nextPrimary() != nullptr;
  if (!model->isServing() && mayChange) return Next::kWait;
  return nextFor(*model);
}

EngineService::Next EngineService::nextFor(ServedModel& model) {
  if (model.isServing()) return Next::kSend;
  if (model.isLoading() || model.memory != ServedModel::Memory::kNone) return Next::kWait;
  if (!model.error.isEmpty()) return Next::kRefuse;
  const bool isSpokenOf = m_requestFor.contains(model.path());
  m_pool.load(isSpokenOf ? requestFor(model.path()) : model.request, /*byUser=*/false);
  return Next::kWait;
}

void EngineService::sendWaiting() {
  if (std::exchange(m_isSending, true)) return;  // Loading a model comes back here.
  for (const Waiting& waiting : std::exchange(m_waiting, {})) {
    ServedModel* model = nullptr;
    const Next next = nextFor(waiting.request, model);
    if (next == Next::kSend) send(waiting, *model);
    if (next == Next::kWait) m_waiting.append(waiting);
    if (next == Next::kRefuse) finishSoon(waiting.id, FinishReason::kFailed, model->error);
  }
  m_isSending = false;
}

void EngineService::send(const Waiting& waiting, ServedModel& model) {
  m_live[waiting.id] = model.path();
  ++model.running;
  model.touch();
  ChatRequest request = waiting.request;
  request.focused = waiting.id == m_focused;
  if (m_isPaused) model.worker.setPaused(true);  // It may be younger than the pause.
  model.worker.submit(waiting.id, request);
}

/// Never inside the call that asked for it.
void EngineService::finishSoon(RequestId id, FinishReason finish, const QString& error) {
  AnswerReport report;
  report.finish = finish;
  report.error = error;
  QMetaObject::invokeMethod(
      this,
      [this, id, report] {
        if (m_live.remove(id) > 0) emit finished(id, report);
      },
      Qt::QueuedConnection);
}

void EngineService::cancel(RequestId id) {
  const auto live = m_live.constFind(id);
  if (live == m_live.constEnd()) return;
  if (ServedModel* const model = m_pool.find(*live)) return model->worker.cancel(id);
  const auto waits = [id](const Waiting& waiting) { return waiting.id == id; };
  const auto waiting = std::find_if(m_waiting.begin(), m_waiting.end(), waits);
  if (waiting == m_waiting.end()) return;
  m_waiting.erase(waiting);
  finishSoon(id, FinishReason::kCancelled, {});
}

void EngineService::setFocused(RequestId id) {
  m_focused = id;
  for (const auto& model : m_pool.models()) model->worker.setFocused(id);
}

void EngineService::forgetChat(qint64 chatId) {
  for (const auto& model : m_pool.models()) model->worker.forgetChat(chatId);
}

void EngineService::setPaused(bool paused) {
  if (paused == m_isPaused) return;
  m_isPaused = paused;
  for (const auto& model : m_pool.models()) model->worker.setPaused(paused);
  emit pausedChanged();
}

void EngineService::askForecast(quint64 number, const ChatRequest& request) {
  if (ServedModel* const model = modelOf(request))
    return model->worker.askForecast(number, request);
  // Nobody knows yet: that is an answer too, or who asks would wait without end.
  QMetaObject::invokeMethod(
      this, [this, number] { emit forecast(number, {}); }, Qt::QueuedConnection);
}

void EngineService::askPersona(quint64 number, const QString& systemPrompt) {
  ServedModel* const model = m_pool.primary();
  if (model == nullptr) return emit personaMeasured(number, {});
  model->worker.askPersona(number, systemPrompt);
}

void EngineService::keepWarm(const QStringList& systemPrompts) {
  m_warm = systemPrompts;
  onPoolChanged();
}

ModelSampling EngineService::defaultSampling(const QString& modelPath) const {
  if (modelPath.isEmpty()) return primary().sampling;
  const ServedModel* const model = m_pool.find(modelPath);
  return model == nullptr ? ModelSampling() : model->ready.sampling;
}

void EngineService::watchEngine(bool watched) {
  m_isWatching = watched;
  onPoolChanged();
}

void EngineService::askBlockText(int block) {
  if (ServedModel* const model = m_pool.primary()) model->worker.askBlockText(block);
}

// Events ---------------------------------------------------------------------------------------

void EngineService::onOutboxFilled() {
  if (m_deliveryTimer.isActive()) return;
  const qint64 waited = m_sinceDelivery.isValid() ? m_sinceDelivery.elapsed() : kDeliveryIntervalMs;
  if (waited >= kDeliveryIntervalMs) return deliver();
  m_deliveryTimer.start(static_cast<int>(kDeliveryIntervalMs - waited));
}

void EngineService::deliver() {
  m_sinceDelivery.start();
  m_pool.deliver();
}

void EngineService::hear(ServedModel& model, const ServiceEvent& event) {
  std::visit([&](const auto& one) { handle(model, one); }, event);
}

// Late events of a finished request end here: its id is no longer live.
void EngineService::handle(ServedModel&, const AnswerStarted& event) {
  if (m_live.contains(event.id)) emit started(event.id, event.report);
}

void EngineService::handle(ServedModel&, const AnswerText& event) {
  if (m_live.contains(event.id)) emit textAppended(event.id, event.text, event.outputTokens);
}

void EngineService::handle(ServedModel& model, const AnswerFinished& event) {
  model.running = std::max(0, model.running - 1);
  model.touch();
  if (m_live.remove(event.id) > 0) emit finished(event.id, event.report);
}

void EngineService::handle(ServedModel&, const ForecastMade& event) {
  emit forecast(event.number, event.forecast);
}

void EngineService::handle(ServedModel&, const PersonaMeasured& event) {
  emit personaMeasured(event.number, event.report);
}

void EngineService::handle(ServedModel& model, const ThroughputMeasured& event) {
  model.stats = event.stats;
  model.report = event.report;
  model.report.modelPath = model.path();
  double tokensPerSecond = 0.0;
  int running = 0;
  for (const auto& one : m_pool.models()) {
    tokensPerSecond += one->report.tokensPerSecond;
    running += one->report.runningRequests;
  }
  emit throughputChanged(tokensPerSecond, running);
  const bool isShown = &model == m_pool.primary() && model.isServing();
  if (isShown) emit engineMeasured(model.report);
}

void EngineService::handle(ServedModel& model, const BlocksMapped& event) {
  if (&model == m_pool.primary()) emit blockMapChanged(event.map);
}

void EngineService::handle(ServedModel& model, const BlockRead& event) {
  if (&model == m_pool.primary()) emit blockTextRead(event.reading);
}

}  // namespace quire
