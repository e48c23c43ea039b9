#include "app/engine/engine_service.h"

#include <QFileInfo>

#include <algorithm>

namespace quire {
namespace {

constexpr int kDeliveryIntervalMs = 33;  // About 30 times a second.

bool isSameFolder(const QString& a, const QString& b) {
  const QString path = QFileInfo(a).canonicalFilePath();
  return !path.isEmpty() && path == QFileInfo(b).canonicalFilePath();
}

}  // namespace

EngineService::EngineService(const EngineServiceOptions& options, QObject* parent)
    : ChatBackend(parent),
      m_bundledModelPath(options.bundledModelPath),
      m_outbox([this] { QMetaObject::invokeMethod(this, "onOutboxFilled", Qt::QueuedConnection); }),
      m_worker(m_outbox),
      m_host({.backend = options.backend,
              .engine = options.engine,
              .progressed =
                  [this](LoadNumber load, double fraction) {
                    m_outbox.push(LoadProgressed{load, fraction});
                  },
              .loaded =
                  [this](LoadNumber load, Result<std::unique_ptr<ServingModel>> model) {
                    if (model) return m_worker.adoptModel(load, std::move(*model));
                    m_worker.failModel(load, QString::fromStdString(model.error().message));
                  }}) {
  qRegisterMetaType<RequestId>("quire::RequestId");
  qRegisterMetaType<ContextForecast>("quire::ContextForecast");
  qRegisterMetaType<PromptReport>("quire::PromptReport");
  qRegisterMetaType<AnswerReport>("quire::AnswerReport");
  m_deliveryTimer.setSingleShot(true);
  m_deliveryTimer.setTimerType(Qt::PreciseTimer);
  connect(&m_deliveryTimer, &QTimer::timeout, this, &EngineService::deliver);
  if (!options.modelPath.isEmpty()) loadModel(options.modelPath);
}

void EngineService::loadModel(const LoadRequest& request) {
  const QString& path = request.path;
  m_state = State::Loading;
  m_stateText = tr("Loading %1…").arg(QFileInfo(path).fileName());
  m_loadProgress = 0.0;
  ++m_lastLoad;
  m_host.load(m_lastLoad, path, m_worker.expectModel(m_lastLoad));
  emit stateChanged();
}

RequestId EngineService::submit(const ChatRequest& request) {
  const RequestId id = ++m_lastRequest;
  m_live.insert(id);
  m_worker.submit(id, request);
  return id;
}

void EngineService::cancel(RequestId id) {
  if (m_live.contains(id)) m_worker.cancel(id);
}

void EngineService::forgetChat(qint64 chatId) {
  m_worker.forgetChat(chatId);
}

void EngineService::setFocused(RequestId id) {
  m_worker.setFocused(id);
}

void EngineService::askForecast(quint64 number, const ChatRequest& request) {
  m_worker.askForecast(number, request);
}

void EngineService::watchEngine(bool watched) {
  m_worker.watchBlocks(watched);
}

void EngineService::askBlockText(int block) {
  m_worker.askBlockText(block);
}

void EngineService::onOutboxFilled() {
  const qint64 waited = m_sinceDelivery.isValid() ? m_sinceDelivery.elapsed() : kDeliveryIntervalMs;
  if (waited >= kDeliveryIntervalMs) return deliver();
  m_deliveryTimer.start(static_cast<int>(kDeliveryIntervalMs - waited));
}

void EngineService::deliver() {
  m_sinceDelivery.start();
  const std::vector<ServiceEvent> events = m_outbox.take();
  for (const ServiceEvent& event : events) {
    std::visit([this](const auto& one) { handle(one); }, event);
  }
}

// Late events of a finished request end here: its id is no longer live.
void EngineService::handle(const AnswerStarted& event) {
  if (m_live.contains(event.id)) emit started(event.id, event.report);
}

void EngineService::handle(const AnswerText& event) {
  if (m_live.contains(event.id)) emit textAppended(event.id, event.text, event.outputTokens);
}

void EngineService::handle(const AnswerFinished& event) {
  if (m_live.remove(event.id)) emit finished(event.id, event.report);
}

void EngineService::handle(const ForecastMade& event) {
  emit forecast(event.number, event.forecast);
}

void EngineService::handle(const ThroughputMeasured& event) {
  m_stats = event.stats;
  emit throughputChanged(event.report.tokensPerSecond, event.report.runningRequests);
  emit engineMeasured(event.report);
}

void EngineService::handle(const BlocksMapped& event) {
  emit blockMapChanged(event.map);
}

void EngineService::handle(const BlockRead& event) {
  emit blockTextRead(event.reading);
}

void EngineService::handle(const LoadProgressed& event) {
  if (event.load != m_lastLoad || m_state != State::Loading) return;
  m_loadProgress = std::clamp(event.fraction, 0.0, 1.0);
  emit stateChanged();
}

void EngineService::handle(const ModelReady& event) {
  m_model = event;
  m_isDemonstration = isSameFolder(event.path, m_bundledModelPath);
  if (event.load != m_lastLoad) return;  // Another is being loaded already.
  m_state = State::Ready;
  m_stateText.clear();
  m_loadProgress = 1.0;
  emit stateChanged();
}

void EngineService::handle(const ModelFailed& event) {
  if (event.wasServing) m_model = {};
  if (event.load != m_lastLoad && (!event.wasServing || m_state == State::Loading)) return;
  m_state = m_model.path.isEmpty() ? State::Failed : State::Ready;
  m_stateText = event.error;
  m_loadProgress = 0.0;
  emit stateChanged();
  emit loadFailed(event.error);
}

}  // namespace quire
