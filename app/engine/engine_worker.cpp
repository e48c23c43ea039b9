#include "app/engine/engine_worker.h"

#include <utility>

#include "app/engine/thread_priority.h"

namespace quire {

EngineWorker::EngineWorker(TellWorkerEvent tell, TrialOfModel trial)
    : m_tell(std::move(tell)), m_trial(std::move(trial)), m_thread([this] { run(); }) {}

EngineWorker::~EngineWorker() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

void EngineWorker::post(std::function<void()> call) {
  {
    const std::lock_guard lock(m_mutex);
    m_calls.push_back(std::move(call));
  }
  m_changed.notify_all();
}

void EngineWorker::run() {
  letTheWindowGoFirst();
  std::vector<std::function<void()>> calls;
  while (takeCalls(calls)) {
    for (const auto& call : calls) call();
    calls.clear();
    if (hasWork()) step();
    if (m_phase == ModelPhase::kDraining && m_running.empty()) drained();
    mapBlocks();
  }
  if (serves()) saveToPrefixStore();
  m_next = {};
  dropModel();  // On the thread that used it.
}

bool EngineWorker::takeCalls(std::vector<std::function<void()>>& calls) {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [this] { return m_stopping || !m_calls.empty() || hasWork(); });
  calls.swap(m_calls);
  return !m_stopping;
}

// A load waits for the answers of a model that drains: these go on even while paused.
bool EngineWorker::hasWork() const {
  if (!serves() || (m_isPaused && m_phase != ModelPhase::kDraining)) return false;
  return !m_running.empty() || m_warm.isWanted() || m_embeddings.isWanted() ||
         m_serving->engine->has_work();
}

void EngineWorker::step() {
  m_blockWatch.touch();
  if (m_running.empty()) m_warm.compute(*m_serving->engine);
  take(m_serving->engine->step());
  if (m_embeddings.isWanted() && !m_serving->engine->device_failure()) {
    tellEnded(m_embeddings.compute(*m_serving->engine, /*besideAnswers=*/!m_running.empty()));
  }
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
    const int count = static_cast<int>(event.tokens.size());
    isPromptComputed |= count > 0 && event.usage.output_tokens == count;
    tokens += count;
    m_pace.count(event, running->second.lastToken);
    AnswerStream& stream = running->second.stream;
    const bool hadStarted = stream.prompt() != nullptr;
    const bool isLast = stream.take(event);
    if (!hadStarted && stream.prompt()) m_tell(PromptComputed{*stream.prompt()});
    if (!isLast) continue;
    m_tell(RequestEnded{running->second.id});
    m_running.erase(running);
  }
  if (isPromptComputed) m_warm.pin(*m_serving->engine);
  measure(tokens, answers);
}

void EngineWorker::setPaused(bool paused) {
  post([this, paused] {
    m_isPaused = paused;
    m_pace.restart();
    if (m_isPaused && m_serving) report(0.0, m_running.size());
  });
}

// Answers that were over before the first report was due are reported too, over their whole time.
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
  m_tell(ThroughputMeasured{report, stats});
}

void EngineWorker::watchBlocks(bool watched) {
  post([this, watched] {
    m_blockWatch.setOn(watched);
    if (watched && serves()) measure(0, m_running.size());
  });
}

void EngineWorker::mapBlocks() {
  if (!m_blockWatch.takeDue(BlockWatch::Clock::now(), !hasWork())) return;
  m_tell(BlocksMapped{serves() ? snapshotOf(*m_serving->engine) : BlockMapSnapshot()});
}

void EngineWorker::readBlock(int block, Reply<BlockReading> reply) {
  post([this, block, reply = std::move(reply)] {
    if (!serves()) return;
    const auto text = m_serving->engine->block_text(block);
    BlockReading reading = quire::readBlock(text.value_or(BlockText()), block);
    const auto left = m_leftTurns.find(reading.chatIds.value(0));
    if (text && left != m_leftTurns.end()) {
      reading.message = messageInChat(text->message, left->second);
    }
    reply(reading);
  });
}

}  // namespace quire
