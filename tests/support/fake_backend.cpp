#include "tests/support/fake_backend.h"

namespace quire {
namespace {

constexpr double kCharactersPerToken = 3.2;

int tokensOf(qsizetype characters) {
  return static_cast<int>(characters / kCharactersPerToken) + 1;
}

}  // namespace

void FakeInspector::readBlock(int block, Reply<BlockReading> reply) {
  BlockReading reading = readings.value(block);
  reading.block = block;
  reply(reading);
}

PendingReply FakeInspector::measurePersona(const PersonaPrompt& persona,
                                           Reply<PersonaReport> reply) {
  PersonaReport report = personaReports.value(persona.systemPrompt);
  if (report.tokens == 0) report.tokens = tokensOf(persona.systemPrompt.size());
  reply(report);
  return reply.pending();
}

void FakeInspector::keepWarm(const QList<PersonaPrompt>& personas) {
  warmPrompts = personas;
  ++numWarmed;
}

FakeBackend::FakeBackend(int tickMs, QObject* parent) : ModelManager(parent) {
  connect(&m_timer, &QTimer::timeout, this, &FakeBackend::tick);
  if (tickMs > 0) m_timer.start(tickMs);
}

RequestId FakeBackend::submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) {
  requests.append(request);
  Running running;
  running.id = ++m_lastId;
  running.sink = lastSink = std::move(sink);
  priorities[running.id] = request.priority;
  running.chatId = request.chatId;
  if (request.modelPath.startsWith(QLatin1String("remote:"))) running.origin = request.modelPath;
  for (const ChatTurn& turn : request.turns) {
    running.promptTokens += tokensOf(turn.text.size()) + 4;
    if (turn.role == QLatin1String("system")) ++running.systemTurns;
  }
  if (request.rawPrompt) running.promptTokens = tokensOf(request.rawPrompt->text.size());
  const QString said = request.rawPrompt ? request.rawPrompt->text : request.turns.last().text;
  running.text =
      m_answers.isEmpty() ? QStringLiteral("You said: %1").arg(said) : m_answers.takeFirst();
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

PendingReply FakeBackend::forecast(const ChatRequest& request, Reply<ContextForecast> reply) {
  questions.append(request);
  reply(foretoldBy.value(request.modelPath, foretold));
  return reply.pending();
}

void FakeBackend::planLoad(const LoadRequest& request, Reply<LoadPlan> reply) {
  planned.append(request);
  LoadPlan plan = plans.value(request.path);
  if (!plans.contains(request.path)) plan.error = QStringLiteral("There is no such model.");
  plan.request = request;
  reply(plan);
}

ModelDescription FakeBackend::primaryModel() const {
  return {.name = modelNameValue,
          .fingerprint = {},
          .deviceName = QStringLiteral("CPU · AVX-512 · 2 threads"),
          .deviceNote = {},
          .contextLength = m_state == State::Ready ? contextTokens : 0,
          .isDemonstration = demonstration,
          .defaultTemplate = {},
          .sampling = sampling};
}

RequestId FakeBackend::focused() const {
  RequestId best = 0;
  for (const Running& running : m_running) {
    const int priority = priorities[running.id];
    if (priority >= kFocusedPriority && (best == 0 || priority > priorities[best]))
      best = running.id;
  }
  return best;
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
  if (running.sent == 0) {
    running.sink->started(promptReport(running));
    emit m_inspector.promptComputed(promptReport(running));
  }
  const QString more = running.text.mid(running.sent, charactersPerTick);
  running.sent += more.size();
  running.sink->textAppended(more, tokensOf(running.sent));
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
  report.draftedTokens = draftedTokens;
  report.acceptedTokens = acceptedTokens;
  report.tokensPerSecond = 38.4;
  report.totalMs = 41.0 + report.outputTokens * 1000.0 / 38.4;
  report.origin.modelFingerprint = running.origin;
  running.sink->finished(report);
  emit throughputChanged(38.4 * static_cast<double>(m_running.size()), numRunning());
}

}  // namespace quire
