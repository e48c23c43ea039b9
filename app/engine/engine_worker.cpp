#include "app/engine/engine_worker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/engine/thread_priority.h"
#include "app/error_strings.h"

namespace quire {
EngineWorker::EngineWorker(Outbox& outbox) : m_outbox(outbox), m_thread([this] { run(); }) {}

EngineWorker::~EngineWorker() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

void EngineWorker::submit(RequestId id, const ChatRequest& request,
                          std::shared_ptr<AnswerSink> sink) {
  post(engine_command::Submit{id, request, std::move(sink)});
}
void EngineWorker::cancel(RequestId id) {
  post(engine_command::Cancel{id});
}
void EngineWorker::setPriority(RequestId id, int priority) {
  post(engine_command::SetPriority{id, priority});
}
void EngineWorker::setPaused(bool paused) {
  post(engine_command::Pause{paused});
}
void EngineWorker::forecast(const ChatRequest& request, Reply<ContextForecast> reply) {
  post(engine_command::Forecast{request, std::move(reply)});
}
void EngineWorker::watchBlocks(bool watched) {
  post(engine_command::Watch{watched});
}
void EngineWorker::readBlock(int block, Reply<BlockReading> reply) {
  post(engine_command::ReadBlock{block, std::move(reply)});
}
void EngineWorker::measurePersona(const QString& systemPrompt, Reply<PersonaReport> reply) {
  post(engine_command::Measure{systemPrompt, std::move(reply)});
}
void EngineWorker::keepWarm(const QStringList& systemPrompts) {
  post(engine_command::Warm{systemPrompts});
}
void EngineWorker::forgetChat(qint64 chatId) {
  post(engine_command::Forget{chatId});
}
void EngineWorker::suspend(bool afterAnswers) {
  post(engine_command::Suspend{afterAnswers});
}
void EngineWorker::resume() {
  post(engine_command::Resume{});
}
void EngineWorker::unloadModel(const QString& sentence) {
  post(engine_command::Unload{sentence});
}

void EngineWorker::adoptModel(LoadNumber load, std::unique_ptr<ServingModel> model) {
  post(engine_command::Adopt{load, std::move(model)});
}

void EngineWorker::post(EngineCommand command) {
  {
    const std::lock_guard lock(m_mutex);
    m_inbox.push_back(std::move(command));
  }
  m_changed.notify_all();
}

void EngineWorker::run() {
  letTheWindowGoFirst();
  std::vector<EngineCommand> commands;
  while (takeCommands(commands)) {
    for (EngineCommand& command : commands) {
      std::visit([this](auto& one) { handle(one); }, command);
    }
    commands.clear();
    if (hasWork()) step();
    if (m_running.empty()) endDraining();
    mapBlocks();
  }
  if (mayServe()) keepForNextTime();
  m_nextModel.reset();
  m_serving.reset();  // On the thread that used it.
}

// What answers that are still being written computed goes to the prefix store too, as far as that
// is quickly done: the program is closing.
void EngineWorker::keepForNextTime() {
  constexpr std::chrono::milliseconds kTime{500};
  Engine& engine = *m_serving->engine;
  m_warm.giveWay(engine);
  for (const auto& [engineId, running] : m_running) engine.cancel(engineId);
  const auto end = std::chrono::steady_clock::now() + kTime;
  while (engine.has_work() && std::chrono::steady_clock::now() < end) engine.step();
}

bool EngineWorker::takeCommands(std::vector<EngineCommand>& commands) {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [this] { return m_stopping || !m_inbox.empty() || hasWork(); });
  commands.swap(m_inbox);
  return !m_stopping;
}

bool EngineWorker::hasWork() const {
  if (!mayServe() || m_isPaused) return false;
  return !m_running.empty() || m_warm.isWanted() || m_serving->engine->has_work();
}

void EngineWorker::step() {
  m_blockWatch.touch();
  if (m_running.empty()) m_warm.compute(*m_serving->engine);
  take(m_serving->engine->step());
  if (m_serving->engine->device_failure()) reopenDevices();
}

void EngineWorker::take(const std::vector<RequestEvent>& events) {
  int tokens = 0;
  const size_t answers = m_running.size();
  bool isPromptComputed = false;
  m_warm.note(events);
  for (const RequestEvent& event : events) {
    const auto running = m_running.find(event.id);
    if (running == m_running.end()) continue;
    isPromptComputed |= event.usage.output_tokens == 1;
    tokens += static_cast<int>(event.tokens.size());
    m_pace.count(event, running->second.lastToken);
    AnswerStream& stream = running->second.stream;
    const bool hadStarted = stream.prompt() != nullptr;
    const bool isLast = stream.take(event);
    if (!hadStarted && stream.prompt()) m_outbox.push(PromptComputed{*stream.prompt()});
    if (!isLast) continue;
    m_outbox.push(RequestEnded{running->second.id});
    m_running.erase(running);
  }
  if (isPromptComputed) m_warm.pin(*m_serving->engine);
  measure(tokens, answers);
}

// A device that fails again and again is broken: then it is better to say so.
void EngineWorker::reopenDevices() {
  constexpr std::chrono::minutes kWindow{10};
  const auto now = std::chrono::steady_clock::now();
  while (!m_reopenings.empty() && now - m_reopenings.front() > kWindow) m_reopenings.pop_front();
  const Error failure = *m_serving->engine->device_failure();
  if (m_reopenings.size() == kMaxReopenings) return endServing(failure);
  m_reopenings.push_back(now);
  if (reopen(failure)) announce(m_served);
}

bool EngineWorker::reopen(const Error& failure) {
  const auto reopened = m_serving->reopen(*m_serving);
  m_isSuspended = false;
  if (reopened) return true;
  const std::string separator = failure.message.empty() ? "" : " ";
  endServing({failure.code, failure.message + separator + reopened.error().message});
  return false;
}

// Without its devices the engine serves nobody.
void EngineWorker::endServing(const Error& failure) {
  take(m_serving->engine->end_all(failure));
  if (m_nextModel) return endDraining();
  m_loadError = errorText(failure);
  m_serving.reset();
  m_isSuspended = false;
  m_blockWatch.touch();
  for (const engine_command::Submit& waiting : std::exchange(m_waiting, {})) {
    refuse(waiting, FinishReason::kFailed, m_loadError);
  }
  m_outbox.push(ModelFailed{.load = m_served, .error = m_loadError});
  endDraining();
}

// Also of answers that were over before the first report was due there is one: of their whole time.
void EngineWorker::measure(int tokens, size_t answers) {
  auto rate = m_pace.endStep(tokens);
  if (!rate && m_running.empty()) rate = m_pace.endWork();
  if (rate && answers > 0) report(*rate, answers);
  if (m_running.empty()) report(0.0, 0);
}

void EngineWorker::report(double tokensPerSecond, size_t answers) {
  const EngineStats stats = m_serving->engine->stats();
  EngineReport report = reportOf(stats);
  report.tokensPerSecond = tokensPerSecond;
  report.runningRequests = static_cast<int>(answers);
  if (answers == 0) report.batchSequences = report.batchTokens = 0;
  m_pace.fill(report);
  m_outbox.push(ThroughputMeasured{report, stats});
}

void EngineWorker::mapBlocks() {
  if (!m_blockWatch.takeDue(BlockWatch::Clock::now(), !hasWork())) return;
  m_outbox.push(BlocksMapped{mayServe() ? snapshotOf(*m_serving->engine) : BlockMapSnapshot()});
}

}  // namespace quire
