#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "engine/active_requests.h"
#include "engine/adapter_set.h"
#include "engine/cache_scope.h"
#include "engine/memory/device_state.h"
#include "engine/scheduler/prefix_transfer.h"
#include "engine/step_executor.h"

namespace quire {
namespace {

/// At most restored from host memory in a step with other work: some milliseconds over PCIe.
constexpr size_t kRestoredBytesPerStep = size_t{128} << 20;

}  // namespace

/// Thread: the engine's.
struct Engine::State {
  State(LoadedModel loaded, AdapterSet loaded_adapters, DeviceState on_devices,
        const EngineOptions& engine_options)
      : model(std::move(loaded)),
        adapters(std::move(loaded_adapters)),
        options(engine_options),
        scope(cache_scope(model, on_devices.kv.layout().dtype)),
        devices(std::move(on_devices)),
        cache(devices.kv.num_blocks(), options.prefix_cache, devices.host.get(), devices.states,
              devices.windows),
        scheduler(cache,
                  {.max_batch_tokens = options.max_batch_tokens,
                   .max_sequences = options.max_sequences,
                   .max_logits = options.max_logits(),
                   .max_restored_blocks = devices.kv.layout().blocks_in(kRestoredBytesPerStep)}),
        transfer(options.prefix_store, cache, devices.kv),
        speculation(options.speculation, options.drafter),
        requests(scheduler, transfer, speculation),
        executor(scheduler, transfer, requests, speculation, devices) {
    speculation.set_own_guesses(devices.runner->max_guesses());
  }

  /// One step: receives stored blocks, schedules, computes, and turns sampled tokens into events.
  /// On a device that runs ahead, a step may have been submitted by the one before.
  Result<void> step(std::vector<RequestEvent>& events) {
    note_step_time();
    if (auto received = transfer.receive(scheduler, waits_for_store()); !received) return received;
    if (!executor.has_submitted()) {
      if (auto submitted = executor.submit(schedule(events)); !submitted) return submitted;
    }
    if (executor.has_submitted()) {
      const auto computed = executor.wait();
      if (!computed) return computed.error();
      complete(*computed, events);
    }
    return transfer.send();
  }

  /// Tells the scheduler how long the last step took, with what the owner did between the two.
  void note_step_time() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> took = now - std::exchange(step_began, now);
    scheduler.note_time(took.count());
  }

  /// Composes the next batch, and ends requests that no longer fit.
  StepPlan schedule(std::vector<RequestEvent>& events) {
    propose_drafts();
    StepPlan plan = scheduler.schedule();
    for (const RequestId id : plan.exhausted) requests.end(id, FinishReason::kContext, {}, events);
    for (const ScheduledRows& rows : plan.rows) requests.record_admission(*rows.sequence);
    return plan;
  }

  void propose_drafts() {
    if (speculation.is_automatic() && devices.runner->can_run_ahead()) return;
    speculation.propose(scheduler, [this](DraftRequest& request) {
      requests.answer(request.id).describe(request, devices.max_context);
      request.owner.persona = requests.at(request.id).persona;
    });
  }

  void complete(std::span<const ComputedRows> computed, std::vector<RequestEvent>& events) {
    for (const ComputedRows& rows : computed) scheduler.mark_computed(rows.rows);
    for (const ComputedRows& rows : computed) {
      if (rows.rows.samples) {
        requests.advance(rows.rows, rows.sampled, devices.max_context, events);
      }
    }
  }

  /// Whether nothing can be computed before blocks have been read from the store.
  bool waits_for_store() const {
    return scheduler.running().empty() &&
           std::ranges::all_of(scheduler.waiting(), &Sequence::awaits_store);
  }

  /// Frees everything computed; keeps the chats' tokens and the history.
  void release_devices() {
    executor.drop_submitted();
    scheduler.preempt_all();
    transfer.forget_all();
    devices.runner.reset();
    cache.reset(1, nullptr);
    devices.host.reset();
    devices.host_windows.reset();
    devices.kv = CacheStorage::none(devices.kv.layout());
    model.decoder.reset();
  }

  /// The parent of the first block of prompts with that adapter.
  BlockKey root_of(AdapterId adapter) const {
    return root_key(adapter == 0 ? scope : scope + "/adapter " + adapters.hash(adapter));
  }

  Result<void> check_adapter(AdapterId adapter) const {
    if (adapter == 0 || adapters.contains(adapter)) return {};
    return Error{ErrorCode::kInvalidArgument,
                 "The adapter " + std::to_string(adapter) + " is not loaded."};
  }

  Result<AdapterId> add_adapter(const std::filesystem::path& path) {
    if (device_failure) return *device_failure;
    if (!devices.runner) return Error{ErrorCode::kDevice, "The model's devices are released."};
    return adapters.load(path, *model.decoder, &*devices.runner, requests.adapters());
  }

  Result<void> resume(std::unique_ptr<Decoder> decoder) {
    if (auto reloaded = adapters.reload(*decoder); !reloaded) return reloaded;
    auto on_devices = allocate_on_devices(*decoder, options);
    if (!on_devices) return on_devices.error();
    release_devices();
    model.decoder = std::move(decoder);
    devices = std::move(*on_devices);
    speculation.set_own_guesses(devices.runner->max_guesses());
    cache.reset(devices.kv.num_blocks(), devices.host.get(), devices.states, devices.windows);
    scope = cache_scope(model, devices.kv.layout().dtype);
    scheduler.rename([this](AdapterId adapter) { return root_of(adapter); });
    device_failure.reset();
    std::vector<RequestId> too_long;
    for (const auto& sequence : scheduler.waiting()) {
      if (sequence->table.num_tokens() >= devices.max_context) too_long.push_back(sequence->id);
    }
    for (const RequestId id : too_long) requests.end(id, FinishReason::kContext, {}, pending);
    return {};
  }

  std::vector<RequestEvent> fail_all(const Error& error, std::vector<RequestEvent> events) {
    requests.fail_all(error, events);
    executor.drop_submitted();
    // Blocks that were to be stored may lie on a device that no longer answers.
    if (device_failure) transfer.forget_all();
    cache.forget_all();
    return events;
  }

  BlockReport report() const {
    return {cache,
            scheduler,
            requests.history(),
            options.prefix_store.get(),
            devices.kv.layout().bytes_per_block(),
            devices.kv.layout().bytes_per_state(),
            devices.kv.layout().bytes_per_window()};
  }

  LoadedModel model;
  AdapterSet adapters;
  EngineOptions options;
  std::string scope;  ///< Of the cache's keys, without an adapter.
  DeviceState devices;
  BlockCache cache;
  Scheduler scheduler;
  PrefixTransfer transfer;
  Speculation speculation;
  ActiveRequests requests;
  StepExecutor executor;
  std::chrono::steady_clock::time_point step_began;
  std::optional<Error> device_failure;
  std::vector<RequestEvent> pending;  ///< Made between steps, by cancel().
  RequestId last_id = 0;
};

Engine::Engine(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(LoadedModel model, const EngineOptions& options) {
  AdapterSet adapters;
  for (const std::filesystem::path& path : options.adapters) {
    if (auto loaded = adapters.load(path, *model.decoder, nullptr); !loaded) return loaded.error();
  }
  auto on_devices = allocate_on_devices(*model.decoder, options);
  if (!on_devices) return on_devices.error();
  return std::unique_ptr<Engine>(new Engine(std::make_unique<State>(
      std::move(model), std::move(adapters), std::move(*on_devices), options)));
}

Result<AdapterId> Engine::add_adapter(const std::filesystem::path& path) {
  return m_state->add_adapter(path);
}

std::optional<AdapterId> Engine::find_adapter(const std::filesystem::path& path) const {
  return path.empty() ? std::optional(AdapterId{0}) : m_state->adapters.find(path);
}

const std::optional<Error>& Engine::device_failure() const {
  return m_state->device_failure;
}

void Engine::release_devices() {
  m_state->release_devices();
}

Result<void> Engine::resume(std::unique_ptr<Decoder> decoder) {
  return m_state->resume(std::move(decoder));
}

Result<void> Engine::reopen(const std::filesystem::path& path, const LoadOptions& load,
                            ModelDevices& devices) {
  release_devices();
  devices.close();
  if (const auto first = devices.at(0); !first) return first.error();
  // Also loads the tokenizer and the template, which takes little time compared with the weights.
  auto loaded = load_model(path, devices, m_state->options, load);
  if (!loaded) return loaded.error();
  if (loaded->fingerprint != model().fingerprint) {
    return Error{ErrorCode::kCorruptFile,
                 "The files of \"" + path.string() +
                     "\" have changed since they were loaded. Load the model again."};
  }
  return resume(std::move(loaded->decoder));
}

std::vector<RequestEvent> Engine::end_all(const Error& error) {
  return m_state->fail_all(error, std::exchange(m_state->pending, {}));
}

void Engine::set_drafter(std::shared_ptr<Drafter> drafter) {
  m_state->speculation.set_drafter(std::move(drafter));
}

void Engine::set_speculation(SpeculationMode mode) {
  const bool has_rows = m_state->options.speculation != SpeculationMode::kOff;
  m_state->speculation.set_mode(has_rows ? mode : SpeculationMode::kOff);
}

Result<RequestId> Engine::submit(Request request) {
  return enqueue(std::move(request), /*warms=*/false);
}

Result<RequestId> Engine::warm(std::vector<TokenId> tokens, AdapterId adapter) {
  return enqueue({.prompt = std::move(tokens),
                  .sampling = {.temperature = 0.0f, .max_tokens = 1},
                  .adapter = adapter},
                 /*warms=*/true);
}

Result<RequestId> Engine::enqueue(Request request, bool warms) {
  State& s = *m_state;
  if (s.device_failure) return *s.device_failure;
  if (const auto valid = validate(request, s.model.config.vocab_size, s.devices.max_context);
      !valid) {
    return valid.error();
  }
  if (auto known = s.check_adapter(request.adapter); !known) return known.error();
  const RequestId id = ++s.last_id;
  const int prompt_tokens = static_cast<int>(request.prompt.size());
  const BlockOwner owner = {.chat = request.chat,
                            .shared_tokens = std::clamp(request.persona_tokens, 0, prompt_tokens)};
  auto sequence = std::make_unique<Sequence>(id, s.root_of(request.adapter), request.prompt, owner);
  sequence->adapter = request.adapter;
  sequence->priority = request.priority;
  sequence->message_starts = std::move(request.message_starts);
  if (!sequence->message_starts.empty()) sequence->message_starts.push_back(prompt_tokens);
  s.transfer.request(*s.scheduler.add(std::move(sequence)));
  s.requests.add(id, {.persona = request.persona,
                      .adapter = request.adapter,
                      .warms = warms,
                      .answer = Answer(s.model, std::move(request))});
  return id;
}

Result<std::vector<std::vector<float>>> Engine::embed(std::span<const std::vector<TokenId>> texts,
                                                      const EmbedOptions& options) {
  State& s = *m_state;
  if (s.device_failure) return *s.device_failure;
  if (!s.model.decoder) return Error{ErrorCode::kDevice, "The model's devices are released."};
  if (auto known = s.check_adapter(options.adapter); !known) return known.error();
  return compute_embeddings(s.model, texts, options);
}

void Engine::cancel(RequestId id) {
  if (!m_state->requests.contains(id)) return;
  m_state->requests.end(id, FinishReason::kCancelled, {}, m_state->pending);
}

void Engine::set_priority(RequestId id, int priority) {
  if (Sequence* sequence = m_state->scheduler.find(id)) sequence->priority = priority;
}

void Engine::set_chat_open(int64_t chat, bool open) {
  m_state->cache.set_chat_open(chat, open);
}

void Engine::forget_chat(int64_t chat) {
  set_chat_open(chat, false);
  m_state->requests.forget_chat(chat);
}

int Engine::set_pinned(std::span<const TokenId> tokens, bool pinned, AdapterId adapter) {
  const BlockTable table(m_state->root_of(adapter), {tokens.begin(), tokens.end()});
  return m_state->cache.set_pinned(table, pinned);
}

PrefixHolding Engine::holding(std::span<const TokenId> tokens, AdapterId adapter) const {
  const BlockTable table(m_state->root_of(adapter), {tokens.begin(), tokens.end()});
  return m_state->report().holding(table);
}

std::vector<RequestEvent> Engine::step() {
  State& s = *m_state;
  std::vector<RequestEvent> events = std::exchange(s.pending, {});
  if (s.device_failure || !s.devices.runner) return events;
  const auto stepped = s.step(events);
  if (stepped) return events;
  if (stepped.error().code != ErrorCode::kDevice) {
    return s.fail_all(stepped.error(), std::move(events));
  }
  s.device_failure = stepped.error();
  return events;
}

std::vector<RequestEvent> Engine::take_ended() {
  return std::exchange(m_state->pending, {});
}

int Engine::count_cached(std::span<const TokenId> prompt, AdapterId adapter) const {
  const BlockTable table(m_state->root_of(adapter), {prompt.begin(), prompt.end()});
  const int held = m_state->cache.count_held(table) * kBlockSize;
  return std::min(held, static_cast<int>(prompt.size()) - 1);  // The last one's logits are needed.
}

bool Engine::has_work() const {
  const State& s = *m_state;
  return s.scheduler.has_work() || !s.pending.empty() || s.executor.has_submitted() ||
         s.transfer.is_sending();
}
const LoadedModel& Engine::model() const {
  return m_state->model;
}
int Engine::max_context() const {
  return m_state->devices.max_context;
}

EngineStats Engine::stats() const {
  EngineStats counters = m_state->requests.totals();
  if (const auto& decoder = m_state->model.decoder) {
    counters.num_adapters = m_state->adapters.num_loaded();
    counters.adapter_bytes = decoder->adapter_bytes();
  }
  return m_state->report().stats(counters);
}

std::vector<BlockState> Engine::block_map() const {
  return m_state->report().block_map();
}

std::optional<BlockText> Engine::block_text(int block) const {
  return m_state->report().block_text(block, *m_state->model.chat->tokenizer);
}

}  // namespace quire
