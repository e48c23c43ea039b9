#include "tests/support/fake_backend.h"

namespace quire {
namespace {

constexpr double kCharactersPerToken = 3.2;

int tokensOf(qsizetype characters) {
  return static_cast<int>(characters / kCharactersPerToken) + 1;
}

}  // namespace

FakeBackend::FakeBackend(int tickMs, QObject* parent) : ChatBackend(parent) {
  connect(&m_timer, &QTimer::timeout, this, &FakeBackend::tick);
  if (tickMs > 0) m_timer.start(tickMs);
}

RequestId FakeBackend::submit(const ChatRequest& request) {
  requests.append(request);
  Running running;
  running.id = ++m_lastId;
  running.chatId = request.chatId;
  for (const ChatTurn& turn : request.turns) {
    running.promptTokens += tokensOf(turn.text.size()) + 4;
    if (turn.role == QLatin1String("system")) ++running.systemTurns;
  }
  running.text = m_answers.isEmpty() ? QStringLiteral("You said: %1").arg(request.turns.last().text)
                                     : m_answers.takeFirst();
  if (!m_nextError.isEmpty()) {
    running.text.clear();
    const QString error = std::exchange(m_nextError, QString());
    QMetaObject::invokeMethod(
        this, [this, running, error] { finish(running, FinishReason::kFailed, error); },
        Qt::QueuedConnection);
    return running.id;
  }
  m_running.append(running);
  return running.id;
}

void FakeBackend::cancel(RequestId id) {
  for (qsizetype i = 0; i < m_running.size(); ++i) {
    if (m_running[i].id != id) continue;
    const Running running = m_running.takeAt(i);
    QMetaObject::invokeMethod(
        this, [this, running] { finish(running, FinishReason::kCancelled); }, Qt::QueuedConnection);
    return;
  }
}

void FakeBackend::setPaused(bool paused) {
  if (paused == m_isPaused) return;
  m_isPaused = paused;
  emit pausedChanged();
}

void FakeBackend::askForecast(quint64 number, const ChatRequest& request) {
  questions.append(request);
  QMetaObject::invokeMethod(
      this, [this, number] { emit forecast(number, foretold); }, Qt::QueuedConnection);
}

void FakeBackend::askBlockText(int block) {
  BlockReading reading = readings.value(block);
  reading.block = block;
  QMetaObject::invokeMethod(
      this, [this, reading] { emit blockTextRead(reading); }, Qt::QueuedConnection);
}

void FakeBackend::askPersona(quint64 number, const QString& systemPrompt) {
  PersonaReport report = personaReports.value(systemPrompt);
  if (report.tokens == 0) report.tokens = tokensOf(systemPrompt.size());
  QMetaObject::invokeMethod(
      this, [this, number, report] { emit personaMeasured(number, report); }, Qt::QueuedConnection);
}

void FakeBackend::askLoadPlan(quint64 number, const LoadRequest& request) {
  LoadPlan plan = plans.value(request.path);
  if (!plans.contains(request.path)) plan.error = QStringLiteral("There is no such model.");
  plan.request = request;
  QMetaObject::invokeMethod(
      this, [this, number, plan] { emit loadPlanned(number, plan); }, Qt::QueuedConnection);
}

void FakeBackend::askDevices() {
  QMetaObject::invokeMethod(
      this, [this] { emit devicesListed(devices); }, Qt::QueuedConnection);
}

void FakeBackend::setModels(const QList<ModelState>& models) {
  m_models = models;
  emit modelsChanged();
}

PromptReport FakeBackend::promptReport(const Running& running) const {
  PromptReport report = promptDetails;
  report.promptTokens = running.promptTokens;
  report.cachedTokens = running.promptTokens * 9 / 10;
  report.chatId = running.chatId;
  report.systemTurns = running.systemTurns;
  report.firstTokenMs = 41.0;
  return report;
}

void FakeBackend::setState(State state, const QString& text, double progress) {
  m_state = state;
  m_stateText = text;
  m_progress = progress;
  emit stateChanged();
}

void FakeBackend::advance(int ticks) {
  for (int i = 0; i < ticks; ++i) tick();
}

void FakeBackend::tick() {
  if (m_running.isEmpty() || m_isPaused) return;
  QList<Running> going;
  for (Running running : std::exchange(m_running, {})) {
    if (step(running)) going.append(running);
  }
  m_running = going + m_running;
  emit throughputChanged(38.4 * static_cast<double>(going.size()), static_cast<int>(going.size()));
}

/// False when the request is at its end.
bool FakeBackend::step(Running& running) {
  if (running.sent == 0) emit started(running.id, promptReport(running));
  const QString more = running.text.mid(running.sent, charactersPerTick);
  running.sent += more.size();
  emit textAppended(running.id, more, tokensOf(running.sent));
  if (running.sent < running.text.size()) return true;
  finish(running, FinishReason::kEnd);
  return false;
}

void FakeBackend::finish(const Running& running, FinishReason reason, const QString& error) {
  AnswerReport report;
  report.finish = reason;
  report.error = error;
  report.prompt = promptReport(running);
  report.outputTokens = running.sent > 0 ? tokensOf(running.sent) : 0;
  report.tokensPerSecond = 38.4;
  report.totalMs = 41.0 + report.outputTokens * 1000.0 / 38.4;
  emit finished(running.id, report);
  emit throughputChanged(38.4 * static_cast<double>(m_running.size()), numRunning());
}

}  // namespace quire
