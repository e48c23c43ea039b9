#include "app/python/engine_loop.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <future>
#include <utility>

#include "app/python/gpu_budget.h"
#include "engine/grammar/choice_grammar.h"
#include "engine/grammar/grammar_cache.h"
#include "engine/tuning_file.h"

namespace quire {
namespace {

Error stopped_error() {
  return {ErrorCode::kCancelled, "The engine was shut down; open the model again."};
}

Error forked_error() {
  return {ErrorCode::kCancelled,
          "This process was forked after the model was opened, and an engine does not survive a "
          "fork: its threads stay behind. Open the model in the process that uses it, and start "
          "processes with multiprocessing.set_start_method(\"spawn\")."};
}

/// Threads that begin while it exists handle no signals: the interpreter's own does.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &m_before);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }

 private:
  sigset_t m_before;
};

SamplingParams recommended_sampling(const ModelConfig& config) {
  SamplingParams params;
  if (config.default_temperature >= 0.0f) params.temperature = config.default_temperature;
  if (config.default_top_p > 0.0f) params.top_p = config.default_top_p;
  if (config.default_top_k >= 0) params.top_k = config.default_top_k;
  return params;
}

LoopModel describe(Llm& llm, const std::string& path) {
  const LoadedModel& model = llm.model();
  const DeviceInfo device = llm.backend().info();
  const auto pooling = read_pooling(path);
  return {.name = model.config.name,
          .device = device.description,
          .gpu_reason = llm.gpu_reason(),
          .uses_gpu = device.has_own_memory,
          .vocab_size = model.config.vocab_size,
          .hidden_size = model.config.hidden_size,
          .max_context = llm.engine().max_context(),
          .sampling = recommended_sampling(model.config),
          .pooling = pooling ? pooling->value_or(Pooling::kLast) : Pooling::kLast,
          .chat = model.chat,
          .grammars = std::make_shared<GrammarCache>(model.chat->tokenizer, model.config.vocab_size,
                                                     model.config.end_tokens)};
}

}  // namespace

/// A request under the id that its caller knows it by. Ends it as failed if nothing else has when
/// nobody refers to it any more: when the loop stops, or fails.
class EngineLoop::Ticket {
 public:
  Ticket(RequestId id, std::shared_ptr<Inbox> inbox) : m_id(id), m_inbox(std::move(inbox)) {}
  ~Ticket() {
    if (!m_ended) put({.finish = FinishReason::kFailed, .error = stopped_error()});
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  RequestId id() const { return m_id; }
  bool is_for(const Inbox& inbox) const { return m_inbox.get() == &inbox; }
  void put(RequestEvent event) {
    event.id = m_id;
    m_ended = event.finish.has_value();
    m_inbox->put(std::move(event));
  }

 private:
  RequestId m_id;
  std::shared_ptr<Inbox> m_inbox;
  bool m_ended = false;
};

EngineLoop::EngineLoop(EngineLoopOptions options)
    : m_options(std::move(options)), m_process(getpid()) {
  const BlockedSignals blocked;
  m_thread = std::thread([this] { run(); });
}

std::shared_ptr<EngineLoop> EngineLoop::start(EngineLoopOptions options) {
  return {new EngineLoop(std::move(options)), [](EngineLoop* loop) {
            if (!loop->is_forked()) delete loop;
          }};
}

EngineLoop::~EngineLoop() {
  stop();
}

std::optional<Result<void>> EngineLoop::wait_until_loaded(std::chrono::milliseconds most) {
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, most, [this] { return m_loaded.has_value(); });
  return m_loaded;
}

Result<std::shared_ptr<const Grammar>> EngineLoop::grammar(const std::string& schema) {
  // What another thread locked there stays locked.
  if (is_forked()) return forked_error();
  return schema.empty() ? m_model.grammars->of_any_object() : m_model.grammars->of_schema(schema);
}

Result<std::shared_ptr<const Grammar>> EngineLoop::choice_grammar(
    const std::vector<std::string>& choices) {
  if (is_forked()) return forked_error();
  std::string name = "choices";
  for (const std::string& choice : choices) {
    name += ' ' + std::to_string(choice.size()) + ' ' + choice;
  }
  return m_model.grammars->get(
      name, [&](auto vocabulary) { return quire::choice_grammar(choices, std::move(vocabulary)); });
}

Result<RequestId> EngineLoop::submit(Request request, std::string adapter,
                                     std::shared_ptr<Inbox> inbox) {
  const auto valid = validate(request, m_model.vocab_size, m_model.max_context);
  if (!valid) return valid.error();
  const RequestId id = ++m_last_id;
  auto ticket = std::make_shared<Ticket>(id, std::move(inbox));
  const bool accepted = push([this, ticket = std::move(ticket), request = std::move(request),
                              adapter = std::move(adapter)](Llm& llm) mutable {
    submit_to(llm, std::exchange(ticket, nullptr), std::move(request), adapter);
  });
  if (!accepted) return closed_error();
  return id;
}

void EngineLoop::cancel(std::vector<RequestId> ids) {
  push([this, ids = std::move(ids)](Llm& llm) {
    for (const RequestId id : ids) {
      const auto found = m_engine_ids.find(id);
      if (found != m_engine_ids.end()) llm.engine().cancel(found->second);
    }
  });
}

void EngineLoop::cancel_all(std::shared_ptr<Inbox> inbox) {
  push([this, inbox = std::move(inbox)](Llm& llm) {
    for (const auto& [id, ticket] : m_tickets) {
      if (ticket->is_for(*inbox)) llm.engine().cancel(id);
    }
  });
}

Result<std::vector<std::vector<float>>> EngineLoop::embed(std::vector<std::vector<TokenId>> texts,
                                                          EmbedOptions options) {
  using Vectors = std::vector<std::vector<float>>;
  return call<Vectors>([&texts, &options](Llm& llm) { return llm.engine().embed(texts, options); });
}

Result<EngineStats> EngineLoop::stats() {
  return call<EngineStats>([](Llm& llm) -> Result<EngineStats> { return llm.engine().stats(); });
}

void EngineLoop::stop() {
  // In a forked process there is no such thread, and what it held stays locked.
  if (is_forked()) return;
  m_cancels_load = true;
  {
    const std::lock_guard lock(m_mutex);
    m_stops = true;
  }
  m_changed.notify_all();
  const std::lock_guard lock(m_joining);
  if (m_thread.joinable()) m_thread.join();
}

bool EngineLoop::is_forked() const {
  return getpid() != m_process;
}

/// Why no command is accepted.
Error EngineLoop::closed_error() const {
  return is_forked() ? forked_error() : stopped_error();
}

/// Queues a command; false once the loop stops.
bool EngineLoop::push(Command command) {
  if (is_forked()) return false;
  {
    const std::lock_guard lock(m_mutex);
    if (m_stops) return false;
    m_commands.push_back(std::move(command));
  }
  m_changed.notify_all();
  return true;
}

/// The result of `work` on the loop's thread.
template <typename T>
Result<T> EngineLoop::call(std::function<Result<T>(Llm&)> work) {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  std::future<Result<T>> result = promise->get_future();
  const bool accepted =
      push([promise = std::move(promise), work = std::move(work)](Llm& llm) mutable {
        promise->set_value(work(llm));
        promise.reset();
      });
  if (!accepted) return closed_error();
  try {
    return result.get();
  } catch (const std::future_error&) {  // The loop stopped before the command ran.
    return stopped_error();
  }
}

void EngineLoop::run() {
  try {
    Result<Llm> llm = load();
    publish(llm);
    if (llm) serve(*llm);
  } catch (const std::exception& failure) {
    const std::lock_guard lock(m_mutex);
    const Error error{ErrorCode::kInternal, std::string("Internal error: ") + failure.what()};
    if (!m_loaded) m_loaded = Result<void>(error);
  }
  std::vector<Command> dropped;
  {
    const std::lock_guard lock(m_mutex);
    m_stops = true;
    dropped.swap(m_commands);
  }
  m_tickets.clear();
  m_changed.notify_all();
}

Result<Llm> EngineLoop::load() {
  keep_cpu_tunings(default_tuning_path());
  m_options.llm.load.cancelled = &m_cancels_load;
  if (m_options.gpu_memory_utilization) {
    const auto bytes = gpu_kv_bytes(m_options.llm, *m_options.gpu_memory_utilization);
    if (!bytes) return bytes.error();
    m_options.llm.engine.kv_bytes = *bytes;
  }
  return Llm::open(m_options.llm);
}

void EngineLoop::publish(Result<Llm>& llm) {
  if (llm) m_model = describe(*llm, m_options.llm.model_path);
  {
    const std::lock_guard lock(m_mutex);
    m_loaded = llm ? Result<void>() : Result<void>(llm.error());
  }
  m_changed.notify_all();
}

void EngineLoop::serve(Llm& llm) {
  std::vector<Command> commands;
  while (wait_for_commands(llm.engine().has_work(), commands)) {
    for (Command& command : commands) command(llm);
    commands.clear();
    deliver(llm.step());
  }
}

/// Takes the commands, waiting for one if there is nothing to compute; false if the loop is to
/// stop.
bool EngineLoop::wait_for_commands(bool has_work, std::vector<Command>& commands) {
  std::unique_lock lock(m_mutex);
  if (!has_work) m_changed.wait(lock, [this] { return m_stops || !m_commands.empty(); });
  commands.swap(m_commands);
  return !m_stops;
}

void EngineLoop::submit_to(Llm& llm, const std::shared_ptr<Ticket>& ticket, Request request,
                           const std::string& adapter) {
  Result<RequestId> id = RequestId{0};
  const auto loaded = adapter.empty() ? Result<AdapterId>(0) : llm.engine().add_adapter(adapter);
  if (loaded) {
    request.adapter = *loaded;
    id = llm.engine().submit(std::move(request));
  } else {
    id = loaded.error();
  }
  if (!id) return ticket->put({.finish = FinishReason::kFailed, .error = id.error()});
  m_engine_ids.emplace(ticket->id(), *id);
  m_tickets.emplace(*id, ticket);
}

void EngineLoop::deliver(std::vector<RequestEvent> events) {
  for (RequestEvent& event : events) {
    const auto found = m_tickets.find(event.id);
    if (found == m_tickets.end()) continue;
    const bool ends = event.finish.has_value();
    found->second->put(std::move(event));
    if (!ends) continue;
    m_engine_ids.erase(found->second->id());
    m_tickets.erase(found);
  }
}

}  // namespace quire
