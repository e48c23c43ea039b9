#include "app/engine/engine_service.h"

#include <QThread>

#include <algorithm>
#include <utility>

namespace quire {

EngineService::EngineService(const EngineServiceOptions& options, QObject* parent)
    : ModelManager(parent),
      m_msPerIdleMinute(options.msPerIdleMinute),
      m_retryMs(options.retryMs),
      m_pool({.backend = options.backend,
              .engine = options.engine,
              .bundledModelPath = options.bundledModelPath,
              .trial = options.trial,
              .markerFolder = options.markerFolder,
              .onEvent = [this](ServedModel& model, const WorkerEvent& event) {
                onEvent(model, event);
              }}) {
  connect(&m_idleTimer, &QTimer::timeout, this, &EngineService::unloadIdle);
  connect(&m_pool, &ModelPool::changed, this, &EngineService::onPoolChanged);
  connect(&m_pool, &ModelPool::loadFailed, this, &EngineService::loadFailed);
  if (!options.modelPath.isEmpty()) loadModel(options.modelPath);
}

// Models ---------------------------------------------------------------------------------------

void EngineService::planLoad(const LoadRequest& request, Reply<LoadPlan> reply) {
  m_tasks.post([reply = std::move(reply), input = m_pool.planInput(request,
                                                                   /*mayEndAnswers=*/true)] {
    reply(quire::planLoad(input).plan);
  });
}

void EngineService::listDevices(Reply<QList<ComputeDevice>> reply) {
  m_tasks.post([reply = std::move(reply)] { reply(listComputeDevices()); });
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
  constexpr int kIdleChecksPerMinute = 4;
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

void EngineService::setPaused(bool paused) {
  if (paused == m_isPaused) return;
  m_isPaused = paused;
  for (const auto& model : m_pool.models()) model->worker->setPaused(paused);
  emit pausedChanged();
}

ModelManager::State EngineService::state() const {
  const ServedModel* const model = m_pool.primary();
  if (m_pool.nextPrimary() != nullptr) return State::Loading;
  if (model == nullptr) return State::Loading;  // No model was requested yet.
  if (model->isServing() || model->phase == ModelPhase::kSuspended) return State::Ready;
  if (model->isLoading()) return State::Loading;
  return model->error.isEmpty() ? State::Unloaded : State::Failed;
}

double EngineService::loadProgress() const {
  if (const ServedModel* const next = m_pool.nextPrimary()) return next->clock.fraction();
  const ServedModel* const model = m_pool.primary();
  if (model != nullptr && model->isLoading()) return model->clock.fraction();
  return state() == State::Ready && m_pool.notice().isEmpty() ? 1.0 : 0.0;
}

ModelDescription EngineService::primaryModel() const {
  const ServedModel* const model = m_pool.primary();
  return model == nullptr ? ModelDescription() : model->ready.model;
}

ModelSampling EngineService::defaultSampling(const QString& path) const {
  const ServedModel* const model = path.isEmpty() ? m_pool.primary() : m_pool.find(path);
  return model == nullptr ? ModelSampling() : model->ready.model.sampling;
}

QString EngineService::modelPath() const {
  const ServedModel* const model = m_pool.primary();
  return model != nullptr && model->isServing() ? model->path() : QString();
}

EngineStats EngineService::stats() const {
  const ServedModel* const model = m_pool.primary();
  return model == nullptr ? EngineStats() : model->stats;
}

EngineStats EngineService::stats(const QString& path) const {
  const ServedModel* const model = m_pool.find(path);
  return model == nullptr ? EngineStats() : model->stats;
}

void EngineService::forgetChat(qint64 chatId) {
  for (const auto& model : m_pool.models()) model->worker->forgetChat(chatId);
}

// Requests -------------------------------------------------------------------------------------

void EngineService::call(std::function<void()> function) {
  {
    const std::lock_guard lock(m_callsMutex);
    m_calls.push_back(std::move(function));
  }
  if (QThread::currentThread() == thread()) return runCalls();
  QMetaObject::invokeMethod(
      this, [this] { runCalls(); }, Qt::QueuedConnection);
}

void EngineService::runCalls() {
  while (true) {
    std::function<void()> function;
    {
      const std::lock_guard lock(m_callsMutex);
      if (m_calls.empty()) return;
      function = std::move(m_calls.front());
      m_calls.pop_front();
    }
    function();
  }
}

RequestId EngineService::submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) {
  const RequestId id = ++m_lastRequest;
  call([this, id, request, sink = std::move(sink)] {
    m_waiting.append({id, request, sink});
    sendWaiting();
  });
  return id;
}

void EngineService::cancel(RequestId id) {
  call([this, id] {
    if (ServedModel* const model = m_pool.find(m_sent.value(id))) return model->worker->cancel(id);
    const auto waiting = std::ranges::find(m_waiting, id, &Waiting::id);
    if (waiting == m_waiting.end()) return;
    finish(*waiting, FinishReason::kCancelled);
    m_waiting.erase(waiting);
  });
}

void EngineService::setPriority(RequestId id, int priority) {
  call([this, id, priority] {
    if (ServedModel* const model = m_pool.find(m_sent.value(id))) {
      return model->worker->setPriority(id, priority);
    }
    const auto waiting = std::ranges::find(m_waiting, id, &Waiting::id);
    if (waiting != m_waiting.end()) waiting->request.priority = priority;
  });
}

PendingReply EngineService::forecast(const ChatRequest& request, Reply<ContextForecast> reply) {
  PendingReply pending = reply.pending();
  call([this, request, reply = std::move(reply)] {
    if (ServedModel* const model = modelOf(request)) return model->worker->forecast(request, reply);
    m_tasks.post([reply] { reply({}); });
  });
  return pending;
}

/// The model that answers the request; null if it was not loaded yet.
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
  if (model.isLoading() || !isEmpty(model.phase)) return Next::kWait;
  if (!model.error.isEmpty() && isRefused(model)) return Next::kRefuse;
  const bool hasRequest = m_requestFor.contains(model.path());
  m_pool.load(hasRequest ? requestFor(model.path()) : model.request, /*byUser=*/false);
  return Next::kWait;
}

/// A load that failed is tried again for a later request, but not for those that waited for it:
/// what was missing or in the way may have changed, such as the memory that other models take.
bool EngineService::isRefused(const ServedModel& model) const {
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  return model.failedMs == 0 || now - model.failedMs < m_retryMs;
}

void EngineService::sendWaiting() {
  if (std::exchange(m_isSending, true)) return;  // Loading a model calls this function again.
  for (const Waiting& waiting : std::exchange(m_waiting, {})) {
    ServedModel* model = nullptr;
    const Next next = nextFor(waiting.request, model);
    if (next == Next::kSend) send(waiting, *model);
    if (next == Next::kWait) m_waiting.append(waiting);
    if (next == Next::kRefuse) finish(waiting, FinishReason::kFailed, model->error);
  }
  answerQuestions();
  m_isSending = false;
}

void EngineService::send(const Waiting& waiting, ServedModel& model) {
  m_sent[waiting.id] = model.path();
  ++model.running;
  model.touch();
  if (m_isPaused) model.worker->setPaused(true);  // The worker may have been made after the pause.
  model.worker->submit(waiting.id, waiting.request, waiting.sink);
}

/// Ends a request that no model has.
void EngineService::finish(const Waiting& waiting, FinishReason finish, const QString& error) {
  const AnswerReport report = {.finish = finish, .error = error, .errorCode = ErrorCode::kIo};
  m_tasks.post([sink = waiting.sink, report] { sink->finished(report); });
}

// Events ---------------------------------------------------------------------------------------

void EngineService::onPoolChanged() {
  m_inspector.onPoolChanged();
  sendWaiting();
  emit stateChanged();
  emit modelsChanged();
}

void EngineService::onEvent(ServedModel& model, const WorkerEvent& event) {
  if (const auto* ended = std::get_if<RequestEnded>(&event)) {
    model.running = std::max(0, model.running - 1);
    model.touch();
    m_sent.remove(ended->id);
  }
  if (const auto* measured = std::get_if<ThroughputMeasured>(&event)) onMeasured(model, *measured);
  m_inspector.handle(model, event);
}

void EngineService::onMeasured(ServedModel& model, const ThroughputMeasured& event) {
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
}

}  // namespace quire
