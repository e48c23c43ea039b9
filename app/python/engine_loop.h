#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "app/python/inbox.h"
#include "engine/llm.h"

namespace quire {

class GrammarCache;

struct EngineLoopOptions {
  LlmOptions llm;
  /// The part of the GPUs' memory that weights, work space and cache may take together; none: as
  /// the engine chooses. Without a GPU it limits nothing.
  std::optional<double> gpu_memory_utilization;
};

/// What any thread may read of a loaded model.
struct LoopModel {
  std::string name;
  std::string device;      ///< "AMD EPYC ..., AVX-512, 2 threads".
  std::string gpu_reason;  ///< Llm::gpu_reason().
  bool uses_gpu = false;
  int vocab_size = 0;
  int hidden_size = 0;
  int max_context = 0;
  SamplingParams sampling;  ///< What the model's files recommend.
  Pooling pooling = Pooling::kLast;
  std::shared_ptr<const ChatFormat> chat;
  std::shared_ptr<GrammarCache> grammars;
};

/// An engine on a thread of its own: callers on any thread submit requests, all of which are
/// answered together, and find the events in their inboxes. It never waits for a caller.
/// Thread: any. The destructor waits for the current step.
/// Invariants: a request that was accepted gets one event with `finish`, whatever happens; the
/// thread handles no signals.
class EngineLoop {
 public:
  /// Starts the thread, which loads the model. In a process that was forked later, the loop is
  /// never destroyed: what the thread waited on there stays in use, without the thread.
  static std::shared_ptr<EngineLoop> start(EngineLoopOptions options);
  ~EngineLoop();
  EngineLoop(const EngineLoop&) = delete;
  EngineLoop& operator=(const EngineLoop&) = delete;

  /// Waits for the model, at most that long. None: it is still being loaded. Errors: those of
  /// Llm::open; kInvalidArgument for a budget that holds no cache.
  std::optional<Result<void>> wait_until_loaded(std::chrono::milliseconds most);

  /// To be called once the model is loaded, as everything below.
  const LoopModel& model() const { return m_model; }

  /// The grammar of answers that follow a JSON schema, or, if it is empty, are any JSON object.
  /// Errors: those of Grammar::of_schema; kCancelled in a process that was forked later.
  Result<std::shared_ptr<const Grammar>> grammar(const std::string& schema);

  /// The grammar of answers that are one of these texts. Errors: those of choice_grammar();
  /// kCancelled as above.
  Result<std::shared_ptr<const Grammar>> choice_grammar(const std::vector<std::string>& choices);

  /// Queues a request, with the adapter of that path if it is not empty. Errors: those of
  /// validate(); kCancelled after stop().
  Result<RequestId> submit(Request request, std::string adapter, std::shared_ptr<Inbox> inbox);

  /// Ends these requests before the next step; their events with kCancelled follow. Unknown and
  /// ended ids are ignored.
  void cancel(std::vector<RequestId> ids);
  /// The same of all requests of an inbox that were submitted so far.
  void cancel_all(std::shared_ptr<Inbox> inbox);

  /// The vectors of texts, between two steps: pass few at a time. Blocks. Errors: those of
  /// Engine::embed; kCancelled after stop().
  Result<std::vector<std::vector<float>>> embed(std::vector<std::vector<TokenId>> texts,
                                                EmbedOptions options);

  /// Blocks for a step. Errors: kCancelled after stop().
  Result<EngineStats> stats();

  /// Ends all requests, and frees the model. Blocks for a step, or while a tensor is loaded.
  void stop();

 private:
  using Command = std::function<void(Llm&)>;
  class Ticket;

  explicit EngineLoop(EngineLoopOptions options);
  void run();
  Result<Llm> load();
  void publish(Result<Llm>& llm);
  void serve(Llm& llm);
  void deliver(std::vector<RequestEvent> events);
  void submit_to(Llm& llm, const std::shared_ptr<Ticket>& ticket, Request request,
                 const std::string& adapter);
  bool wait_for_commands(bool has_work, std::vector<Command>& commands);
  bool push(Command command);
  template <typename T>
  Result<T> call(std::function<Result<T>(Llm&)> work);
  bool is_forked() const;
  Error closed_error() const;

  EngineLoopOptions m_options;
  const pid_t m_process;
  std::atomic<bool> m_cancels_load = false;
  std::atomic<RequestId> m_last_id = 0;

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<Command> m_commands;
  std::optional<Result<void>> m_loaded;
  bool m_stops = false;

  LoopModel m_model;  ///< Written before m_loaded is set.

  // Of the thread.
  std::unordered_map<RequestId, std::shared_ptr<Ticket>> m_tickets;  ///< By the engine's id.
  std::unordered_map<RequestId, RequestId> m_engine_ids;             ///< By the caller's.

  std::mutex m_joining;
  std::thread m_thread;
};

}  // namespace quire
