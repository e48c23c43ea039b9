#include "app/engine/engine_worker.h"

#include <QCoreApplication>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/engine/chat_preparation.h"
#include "app/engine/model_description.h"
#include "engine/template_source.h"

namespace quire {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("EngineWorker", text);
}

/// What every answer of this model is made from; the prompt and the sampling are the request's.
AnswerOrigin originOf(const LoadedModel& model) {
  return {.modelFingerprint = QString::fromStdString(model.fingerprint),
          .templateHash = QString::fromStdString(template_hash(model.template_source))};
}

}  // namespace

EngineWorker::EngineWorker(Outbox& outbox) : m_outbox(outbox), m_thread([this] { run(); }) {}

EngineWorker::~EngineWorker() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

void EngineWorker::submit(RequestId id, const ChatRequest& request) {
  post(Submit{id, request});
}
void EngineWorker::cancel(RequestId id) {
  post(Cancel{id});
}
void EngineWorker::setFocused(RequestId id) {
  post(Focus{id});
}
void EngineWorker::setPaused(bool paused) {
  post(Pause{paused});
}
void EngineWorker::askForecast(quint64 number, const ChatRequest& request) {
  {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_inbox, [&](const Command& command) {
      const auto* earlier = std::get_if<Forecast>(&command);
      return earlier != nullptr && earlier->request.chatId == request.chatId;
    });
    m_inbox.push_back(Forecast{number, request});
  }
  m_changed.notify_all();
}
void EngineWorker::watchBlocks(bool watched) {
  post(Watch{watched});
}
void EngineWorker::askBlockText(int block) {
  post(ReadBlock{block});
}
void EngineWorker::askPersona(quint64 number, const QString& systemPrompt) {
  post(Measure{number, systemPrompt});
}
void EngineWorker::keepWarm(const QStringList& systemPrompts) {
  post(Warm{systemPrompts});
}
void EngineWorker::forgetChat(qint64 chatId) {
  post(Forget{chatId});
}
void EngineWorker::suspend() {
  post(Suspend{});
}
void EngineWorker::resume() {
  post(Resume{});
}
void EngineWorker::unloadModel(const QString& sentence) {
  post(Unload{sentence});
}

void EngineWorker::adoptModel(LoadNumber load, std::unique_ptr<ServingModel> model) {
  post(Adopt{load, std::move(model)});
}

void EngineWorker::post(Command command) {
  {
    const std::lock_guard lock(m_mutex);
    m_inbox.push_back(std::move(command));
  }
  m_changed.notify_all();
}

void EngineWorker::run() {
  std::vector<Command> commands;
  while (takeCommands(commands)) {
    for (Command& command : commands) {
      std::visit([this](auto& one) { handle(one); }, command);
    }
    commands.clear();
    if (hasWork()) step();
    mapBlocks();
  }
  if (mayServe()) keepForNextTime();
  m_serving.reset();  // On the thread that used it.
}

// What answers that are still being written computed goes to the prefix store too, as far as that
// is quickly done: the program is closing.
void EngineWorker::keepForNextTime() {
  constexpr std::chrono::milliseconds kTime{500};
  Engine& engine = *m_serving->engine;
  for (const auto& [engineId, running] : m_running) engine.cancel(engineId);
  const auto end = std::chrono::steady_clock::now() + kTime;
  while (engine.has_work() && std::chrono::steady_clock::now() < end) engine.step();
}

bool EngineWorker::takeCommands(std::vector<Command>& commands) {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [this] { return m_stopping || !m_inbox.empty() || hasWork(); });
  commands.swap(m_inbox);
  return !m_stopping;
}

bool EngineWorker::hasWork() const {
  return mayServe() && !m_isPaused && (!m_running.empty() || m_serving->engine->has_work());
}

void EngineWorker::step() {
  m_blockWatch.touch();
  take(m_serving->engine->step());
  if (m_serving->engine->device_failure()) reopenDevices();
}

void EngineWorker::take(const std::vector<RequestEvent>& events) {
  int tokens = 0;
  const size_t answers = m_running.size();
  bool isPromptComputed = false;
  for (const RequestEvent& event : events) {
    const auto running = m_running.find(event.id);
    if (running == m_running.end()) continue;
    isPromptComputed |= event.usage.output_tokens == 1;
    tokens += static_cast<int>(event.tokens.size());
    time(running->second, event);
    if (running->second.stream.take(event)) m_running.erase(running);
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

bool EngineWorker::reopen(Error failure) {
  const auto reopened = m_serving->reopen(*m_serving);
  m_isSuspended = false;
  if (reopened) return true;
  failure.message += (failure.message.empty() ? "" : " ") + reopened.error().message;
  endServing(failure);
  return false;
}

// Without its devices the engine serves nobody.
void EngineWorker::endServing(const Error& failure) {
  take(m_serving->engine->end_all(failure));
  m_loadError = QString::fromStdString(failure.message);
  m_serving.reset();
  m_isSuspended = false;
  m_blockWatch.touch();
  for (const Submit& waiting : std::exchange(m_waiting, {})) {
    refuse(waiting.id, FinishReason::kFailed, m_loadError);
  }
  m_outbox.push(ModelFailed{.load = m_served, .error = m_loadError});
}

// Also of answers that were over before the first report was due there is one: of their whole time.
void EngineWorker::measure(int tokens, size_t answers) {
  const auto now = ThroughputMeter::Clock::now();
  auto rate = m_meter.add(tokens, now);
  if (!rate && m_running.empty()) rate = m_meter.finish(now);
  if (rate && answers > 0) report(*rate, answers);
  if (m_running.empty()) report(0.0, 0);
}

void EngineWorker::report(double tokensPerSecond, size_t answers) {
  const EngineStats stats = m_serving->engine->stats();
  const auto now = LatencyMeter::Clock::now();
  EngineReport report = reportOf(stats);
  report.tokensPerSecond = tokensPerSecond;
  report.runningRequests = static_cast<int>(answers);
  if (answers == 0) report.batchSequences = report.batchTokens = 0;
  report.firstToken = m_firstToken.figures(now);
  report.betweenTokens = m_betweenTokens.figures(now);
  m_outbox.push(ThroughputMeasured{report, stats});
}

// The first token's time is the engine's, from the moment that the request came.
void EngineWorker::time(Running& running, const RequestEvent& event) {
  const int tokens = static_cast<int>(event.tokens.size());
  if (tokens == 0) return;
  const auto now = LatencyMeter::Clock::now();
  if (event.usage.output_tokens == tokens) {
    m_firstToken.add(event.usage.first_token_ms, now);
  } else {
    const std::chrono::duration<double, std::milli> took = now - running.lastToken;
    for (int i = 0; i < tokens; ++i) m_betweenTokens.add(took.count() / tokens, now);
  }
  running.lastToken = now;
}

void EngineWorker::mapBlocks() {
  if (!m_blockWatch.takeDue(BlockWatch::Clock::now(), !hasWork())) return;
  m_outbox.push(BlocksMapped{mayServe() ? snapshotOf(*m_serving->engine) : BlockMapSnapshot()});
}

void EngineWorker::handle(Submit& command) {
  if (command.request.focused) focus(command.id);
  if (mayServe()) return start(command);
  if (!m_isSuspended) return refuse(command.id, FinishReason::kFailed, m_loadError);
  m_waiting.push_back(std::move(command));
}

void EngineWorker::start(Submit& command) {
  Engine& engine = *m_serving->engine;
  command.request.focused = command.id == m_focused;
  auto chat = prepareChat(engine, command.request);
  if (!chat) {
    return refuse(command.id, FinishReason::kFailed, QString::fromStdString(chat.error().message));
  }
  AnswerSource source = {.origin = m_origin,
                         .answered = {chat->answered.begin(), chat->answered.end()},
                         .droppedMessages = chat->droppedMessages,
                         .systemTurns = chat->systemTurns,
                         .chatId = command.request.chatId};
  source.origin.sampling = chat->request.sampling;
  source.origin.promptTokens = {chat->request.prompt.begin(),
                                chat->request.prompt.end() - chat->request.answered};
  const auto id = engine.submit(std::move(chat->request));
  if (!id) {
    return refuse(command.id, FinishReason::kFailed, QString::fromStdString(id.error().message));
  }
  keepOpen(command.request.chatId);
  m_leftTurns[command.request.chatId] = {source.systemTurns, source.droppedMessages};
  if (m_running.empty()) m_meter.restart(ThroughputMeter::Clock::now());
  m_running.emplace(*id,
                    Running{command.id, AnswerStream(command.id, m_outbox, std::move(source))});
}

void EngineWorker::handle(Forecast& command) {
  const ContextForecast forecast =
      m_serving ? forecastChat(*m_serving->engine, command.request) : ContextForecast();
  m_outbox.push(ForecastMade{command.number, forecast});
}

void EngineWorker::handle(Measure& command) {
  const PersonaReport report =
      mayServe() ? measurePersona(*m_serving->engine, command.systemPrompt) : PersonaReport();
  m_outbox.push(PersonaMeasured{command.number, report});
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

void EngineWorker::refuse(RequestId id, FinishReason finish, const QString& error) {
  AnswerStream(id, m_outbox).end(finish, error);
}

void EngineWorker::handle(Cancel& command) {
  const auto waiting = std::find_if(m_waiting.begin(), m_waiting.end(),
                                    [&](const Submit& submit) { return submit.id == command.id; });
  if (waiting != m_waiting.end()) {
    m_waiting.erase(waiting);
    return refuse(command.id, FinishReason::kCancelled);
  }
  for (const auto& [engineId, running] : m_running) {
    if (running.id != command.id) continue;
    m_serving->engine->cancel(engineId);
    return take(m_serving->engine->take_ended());  // There may be no next step for long.
  }
}

void EngineWorker::handle(Focus& command) {
  focus(command.id);
}

void EngineWorker::focus(RequestId id) {
  m_focused = id;
  for (const auto& [engineId, running] : m_running) {
    m_serving->engine->set_focused(engineId, running.id == id);
  }
}

void EngineWorker::handle(Watch& command) {
  m_blockWatch.setOn(command.watched);
  if (command.watched && mayServe()) measure(0, m_running.size());
}

void EngineWorker::handle(ReadBlock& command) {
  if (!mayServe()) return;
  const auto text = m_serving->engine->block_text(command.block);
  BlockReading reading = readBlock(text.value_or(BlockText()), command.block);
  const auto left = m_leftTurns.find(reading.chatIds.value(0));
  if (text && left != m_leftTurns.end()) {
    reading.message = messageInChat(text->message, left->second);
  }
  m_outbox.push(BlockRead{std::move(reading)});
}

void EngineWorker::handle(Pause& command) {
  m_isPaused = command.paused;
  m_meter.restart(ThroughputMeter::Clock::now());
  if (m_isPaused && m_serving) report(0.0, m_running.size());
}

void EngineWorker::handle(Forget& command) {
  m_blockWatch.touch();
  if (m_serving) m_serving->engine->forget_chat(command.chatId);
}

void EngineWorker::endRunning(const QString& sentence) {
  for (auto& [engineId, running] : m_running) running.stream.end(FinishReason::kFailed, sentence);
  m_running.clear();
}

void EngineWorker::handle(Adopt& command) {
  endRunning(
      tr("Another model was loaded while this answer was being written. What there was is "
         "kept; regenerate it to have all of it."));
  m_openChats.clear();
  m_leftTurns.clear();
  m_firstToken.clear();
  m_betweenTokens.clear();
  m_blockWatch.touch();
  m_serving = std::move(command.model);
  m_isSuspended = false;
  measure(0, m_running.size());
  m_served = command.load;
  announce(command.load);
  for (Submit& waiting : std::exchange(m_waiting, {})) start(waiting);
}

void EngineWorker::announce(LoadNumber load) {
  m_origin = originOf(m_serving->engine->model());
  m_outbox.push(describe(*m_serving, load));
  m_warm.adopt(m_serving->engine.get());
}

void EngineWorker::handle(Suspend&) {
  if (mayServe()) {
    m_serving->engine->release_devices();
    m_serving->devices.close();
    m_isSuspended = true;
    m_blockWatch.touch();
  }
  m_outbox.push(RoomMade{});
}

void EngineWorker::handle(Resume&) {
  if (!m_isSuspended || !reopen({ErrorCode::kDevice, ""})) return;
  announce(m_served);
  for (Submit& waiting : std::exchange(m_waiting, {})) start(waiting);
}

void EngineWorker::handle(Unload& command) {
  if (mayServe()) keepForNextTime();
  endRunning(command.sentence);
  for (const Submit& waiting : std::exchange(m_waiting, {})) {
    refuse(waiting.id, FinishReason::kFailed, command.sentence);
  }
  m_loadError = command.sentence;
  if (m_serving) measure(0, m_running.size());
  m_serving.reset();
  m_isSuspended = false;
  m_blockWatch.touch();
  m_outbox.push(ModelUnloaded{});
}

}  // namespace quire
