#include "engine/engine.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/answer.h"
#include "engine/block_report.h"
#include "engine/chat/chat_history.h"
#include "engine/memory/kv_budget.h"
#include "engine/models/model_runner.h"
#include "engine/scheduler/prefix_transfer.h"

namespace quire {
namespace {

/// Blocks restored from host memory in one step beside other work: some milliseconds over PCIe.
int max_restored_blocks(const KvLayout& layout) {
  constexpr size_t kBytesPerStep = size_t{128} << 20;
  return static_cast<int>(std::max<size_t>(1, kBytesPerStep / layout.bytes_per_block()));
}

/// What an engine allocates on a model's devices, and the context that fits.
struct DeviceState {
  KvStorage kv;
  ModelRunner runner;
  std::unique_ptr<HostBlockStore> host;  ///< Null: no budget for it.
  int max_context;
};

std::unique_ptr<HostBlockStore> make_host_store(const EngineOptions& options,
                                                const LayerPlacement& placement,
                                                const KvLayout& layout) {
  const uint64_t bytes = options.prefix_cache ? pick_host_bytes(options, placement) : 0;
  if (bytes < layout.bytes_per_block()) return nullptr;
  return std::make_unique<HostBlockStore>(*placement.front().backend, layout.bytes_per_block(),
                                          bytes);
}

/// Errors: kOutOfMemory, kInvalidArgument.
Result<DeviceState> allocate_on_devices(Decoder& decoder, const EngineOptions& options) {
  const ModelConfig& config = decoder.config();
  const LayerPlacement& placement = decoder.placement();
  const auto num_blocks = pick_num_blocks(config, options, placement);
  if (!num_blocks) return num_blocks.error();
  auto kv = KvStorage::allocate(layer_backends(placement),
                                kv_layout(config, kv_dtype(options, placement)), *num_blocks);
  if (!kv) return kv.error();
  const int context = options.max_context > 0 ? std::min(options.max_context, config.max_positions)
                                              : config.max_positions;
  const int max_context =
      static_cast<int>(std::min<int64_t>(context, int64_t{*num_blocks} * kBlockSize));
  auto runner = ModelRunner::create(decoder, {.max_tokens = options.max_batch_tokens,
                                              .max_sequences = options.max_sequences,
                                              .max_blocks = blocks_for(max_context),
                                              .max_logits = options.max_sequences});
  if (!runner) return runner.error();
  auto host = make_host_store(options, placement, kv->layout());
  return DeviceState{std::move(*kv), std::move(*runner), std::move(host), max_context};
}

void set_costs(const Sequence& sequence, RequestUsage& usage) {
  usage.computed_tokens = static_cast<int>(sequence.num_rows);
  usage.swapped_tokens = sequence.num_swapped;
  usage.preemptions = sequence.num_preemptions;
}

}  // namespace

/// Thread: the engine's.
struct Engine::State {
  /// What is known of a request beside its tokens.
  struct ActiveRequest {
    Answer answer;
    int64_t chat = 0;
    int64_t persona = 0;
    std::vector<int> message_starts;
    bool warms = false;        ///< Only fills the cache: nobody reads an answer.
    bool is_admitted = false;  ///< Stays set after a preemption, so that it is counted once.
  };
  /// A step that was submitted and not waited for. Its sequences may end meanwhile.
  struct SubmittedStep {
    StepPlan plan;
    std::vector<RequestId> ids;  ///< Of the plan's rows.
  };
  using Sampled = std::vector<Result<SampledToken>>;  ///< Of a plan's sampling rows, in order.

  State(LoadedModel loaded, DeviceState on_devices, const EngineOptions& engine_options)
      : model(std::move(loaded)),
        options(engine_options),
        root(root_key(cache_scope(model, on_devices.kv.layout().dtype))),
        kv(std::move(on_devices.kv)),
        host(std::move(on_devices.host)),
        cache(kv.num_blocks(), options.prefix_cache, host.get()),
        scheduler(cache, {.max_batch_tokens = options.max_batch_tokens,
                          .max_sequences = options.max_sequences,
                          .max_restored_blocks = max_restored_blocks(kv.layout())}),
        transfer(options.prefix_store, cache, kv),
        max_context(on_devices.max_context),
        runner(std::move(on_devices.runner)) {}

  Answer& answer_of(const ScheduledRows& rows) { return active.at(rows.sequence->id).answer; }

  RequestEvent& add_event(RequestId id, std::vector<RequestEvent>& events) {
    events.push_back({.id = id});
    return events.back();
  }

  /// Ends a request from outside and frees its blocks.
  void end(RequestId id, FinishReason reason, Error error, std::vector<RequestEvent>& events) {
    RequestEvent& event = add_event(id, events);
    event.error = std::move(error);
    active.at(id).answer.end(reason, event);
    remove(id, event);
  }

  /// Removes a request after its last event: records its cost and what its chat computed.
  void remove(RequestId id, RequestEvent& event) {
    ActiveRequest& request = active.at(id);
    if (const Sequence* sequence = scheduler.find(id)) {
      set_costs(*sequence, event.usage);
      totals.preemptions += sequence->num_preemptions;
      const BlockTable& table = sequence->table;
      if (request.chat != 0) {
        const int num_blocks = table.num_computed() / kBlockSize;
        transfer.keep(table, num_blocks, {PrefixOwner::Kind::kChat, request.chat});
      }
      if (table.num_computed() > 0) {
        history.record(request.chat, table.tokens(), starts_with_answer(*sequence));
      }
    }
    scheduler.remove(id);
    active.erase(id);
  }

  /// Everything computed is lost; the chats' tokens and the history stay.
  void release_devices() {
    drop_submitted();
    scheduler.preempt_all();
    transfer.forget_all();
    runner.reset();
    cache = BlockCache(1, /*share_prefixes=*/false);
    host.reset();
    kv = KvStorage::none(kv.layout());
    model.decoder.reset();
  }

  void resume(std::unique_ptr<Decoder> decoder, DeviceState on_devices) {
    model.decoder = std::move(decoder);
    kv = std::move(on_devices.kv);
    host = std::move(on_devices.host);
    cache = BlockCache(kv.num_blocks(), options.prefix_cache, host.get());
    for (const int64_t chat : open_chats) cache.set_chat_open(chat, true);
    max_context = on_devices.max_context;
    runner.emplace(std::move(on_devices.runner));
    root = root_key(cache_scope(model, kv.layout().dtype));
    scheduler.rename(root);
    device_failure.reset();
    std::vector<RequestId> too_long;
    for (const auto& sequence : scheduler.waiting()) {
      if (sequence->table.num_tokens() >= max_context) too_long.push_back(sequence->id);
    }
    for (const RequestId id : too_long) end(id, FinishReason::kContext, {}, pending);
  }

  Result<void> step(std::vector<RequestEvent>& events) {
    if (auto received = transfer.receive(scheduler, waits_for_store()); !received) return received;
    const auto computed = submitted ? finish_step(events) : schedule_and_compute(events);
    if (!computed) return computed;
    return transfer.send();
  }

  /// Nothing can be computed before blocks have been read from the store.
  bool waits_for_store() const {
    const auto awaits = [](const auto& sequence) { return sequence->awaits_store; };
    return scheduler.running().empty() && std::ranges::all_of(scheduler.waiting(), awaits);
  }

  Result<void> schedule_and_compute(std::vector<RequestEvent>& events) {
    StepPlan plan = scheduler.schedule();
    for (const RequestId id : plan.exhausted) end(id, FinishReason::kContext, {}, events);
    if (plan.rows.empty()) return transfer.make(plan.copies);
    for (const ScheduledRows& rows : plan.rows) {
      if (!active.at(rows.sequence->id).is_admitted) record_admission(*rows.sequence);
    }
    count_rows(plan);
    if (!samples_on_device(plan)) return compute_logits_and_sample(plan, events);
    if (auto done = submit(std::move(plan), /*follows=*/false); !done) return done;
    return finish_step(events);
  }

  bool samples_on_device(const StepPlan& plan) {
    return runner->can_sample() && std::ranges::all_of(plan.rows, [&](const ScheduledRows& rows) {
             return !rows.samples || answer_of(rows).can_sample_on_device();
           });
  }

  Result<void> compute_logits_and_sample(const StepPlan& plan, std::vector<RequestEvent>& events) {
    if (auto copied = transfer.make(plan.copies); !copied) return copied;
    const auto logits = runner->run(make_forward_batch(plan), kv);
    if (!logits) return logits.error();
    const auto vocab = static_cast<size_t>(model.config.vocab_size);
    Sampled sampled;
    for (const ScheduledRows& rows : plan.rows) {
      if (!rows.samples) continue;
      const std::span<float> row = logits->subspan(sampled.size() * vocab, vocab);
      sampled.push_back(answer_of(rows).sample(row, sampler));
    }
    scheduler.mark_computed(plan);
    advance(plan, sampled, events);
    return {};
  }

  /// Submits a step without waiting for it. `follows`: each row's token is the one that the step
  /// submitted before samples for it.
  Result<void> submit(StepPlan plan, bool follows) {
    if (auto copied = transfer.make(plan.copies); !copied) return copied;
    sample_rows.clear();
    SubmittedStep next;
    for (const ScheduledRows& rows : plan.rows) {
      if (rows.samples) answer_of(rows).add_row(sample_rows, follows ? 1 : 0);
      next.ids.push_back(rows.sequence->id);
    }
    const auto done = runner->submit(make_forward_batch(plan), kv, sample_rows.batch(), follows);
    if (!done) return done;
    next.plan = std::move(plan);
    submitted = std::move(next);
    return {};
  }

  /// Waits for the submitted step. The one after it is submitted first, if it only decodes, so that
  /// the device computes while tokens become text.
  Result<void> finish_step(std::vector<RequestEvent>& events) {
    SubmittedStep finished = *std::exchange(submitted, std::nullopt);
    if (auto next = step_after(finished)) {
      count_rows(*next);
      if (auto done = submit(std::move(*next), /*follows=*/true); !done) return done;
    }
    const auto tokens = runner->wait();
    if (!tokens) return tokens.error();
    StepPlan plan;
    Sampled sampled;
    size_t num_sampled = 0;
    for (size_t i = 0; i < finished.ids.size(); ++i) {
      const ScheduledRows& rows = finished.plan.rows[i];
      const size_t index = rows.samples ? num_sampled++ : num_sampled;
      const auto request = active.find(finished.ids[i]);
      if (request == active.end()) continue;  // It ended while the step was computed.
      plan.rows.push_back(rows);
      if (rows.samples) sampled.push_back(request->second.answer.checked((*tokens)[index]));
    }
    scheduler.mark_computed(plan);
    advance(plan, sampled, events);
    return {};
  }

  std::optional<StepPlan> step_after(const SubmittedStep& step) {
    const auto decodes = [](const ScheduledRows& rows) { return rows.count == 1 && rows.samples; };
    const auto goes_on = [&](RequestId id) {
      const auto it = active.find(id);
      return it != active.end() && it->second.answer.can_look_ahead(max_context);
    };
    const bool can_follow = runner->can_run_ahead() &&
                            std::ranges::all_of(step.plan.rows, decodes) &&
                            std::ranges::all_of(step.ids, goes_on);
    return can_follow ? scheduler.follow(step.plan) : std::nullopt;
  }

  void advance(const StepPlan& plan, const Sampled& sampled, std::vector<RequestEvent>& events) {
    size_t index = 0;
    for (const ScheduledRows& rows : plan.rows) {
      if (rows.samples) advance(*rows.sequence, sampled[index++], events);
    }
  }

  void advance(Sequence& sequence, const Result<SampledToken>& sampled,
               std::vector<RequestEvent>& events) {
    const RequestId id = sequence.id;
    ActiveRequest& request = active.at(id);
    RequestEvent& event = add_event(id, events);
    const std::optional<TokenId> token = request.answer.advance(sampled, event);
    if (!request.warms) totals.output_tokens += event.tokens.size();
    if (token && request.answer.num_tokens() >= max_context) {
      request.answer.end(FinishReason::kContext, event);
    }
    set_costs(sequence, event.usage);
    if (event.usage.output_tokens == 1) keep_persona(sequence);
    if (event.finish) return remove(id, event);
    sequence.table.append(*token);
  }

  /// Stores the persona's blocks after the whole prompt was computed.
  void keep_persona(const Sequence& sequence) {
    const int64_t persona = active.at(sequence.id).persona;
    const int num_blocks = sequence.table.owner().shared_tokens / kBlockSize;
    if (persona == 0) return;
    transfer.keep(sequence.table, num_blocks, {PrefixOwner::Kind::kPersona, persona});
  }

  void count_rows(const StepPlan& plan) {
    totals.batch_tokens = plan.num_tokens;
    totals.batch_sequences = static_cast<int>(plan.rows.size());
    totals.computed_tokens += plan.num_tokens;
    ++totals.steps;
  }

  void record_admission(const Sequence& sequence) {
    ActiveRequest& request = active.at(sequence.id);
    request.is_admitted = true;
    const int cached = sequence.num_cached;
    const int disk = std::max(0, std::min(cached, sequence.stored_end) - sequence.stored_begin);
    const auto prompt = std::span(sequence.table.tokens()).first(sequence.num_prompt);
    PrefixMiss miss = history.explain(request.chat, prompt, cached);
    if (miss.reason != PrefixMiss::Reason::kNone) {
      miss.message = message_at(request.message_starts, miss.position);
    }
    request.answer.mark_scheduled(cached, disk, miss);
    if (request.warms) return;
    totals.prompt_tokens += sequence.num_prompt;
    totals.cached_tokens += cached;
    totals.disk_tokens += disk;
  }

  /// Where each message of the request begins, then the answer.
  std::vector<int> starts_with_answer(const Sequence& sequence) const {
    std::vector<int> starts = active.at(sequence.id).message_starts;
    if (!starts.empty()) starts.push_back(sequence.num_prompt);
    return starts;
  }

  std::vector<RequestEvent> fail_all(const Error& error, std::vector<RequestEvent> events) {
    while (!active.empty()) {
      end(active.begin()->first, FinishReason::kFailed, error, events);
    }
    drop_submitted();
    // Blocks that were to be stored may lie on a device that no longer answers.
    if (device_failure) transfer.forget_all();
    cache.forget_all();
    return events;
  }

  void drop_submitted() {
    submitted.reset();
    if (runner) runner->drop_submitted();
  }

  LoadedModel model;
  EngineOptions options;
  BlockKey root;
  KvStorage kv;
  std::unique_ptr<HostBlockStore> host;  ///< Null: evicted blocks are computed again.
  BlockCache cache;
  Scheduler scheduler;
  PrefixTransfer transfer;
  ChatHistory history;
  int max_context;
  std::optional<ModelRunner> runner;  ///< None after release_devices().
  Sampler sampler;                    ///< Scratch memory that all answers share.
  SampleRows sample_rows;
  std::optional<SubmittedStep> submitted;
  std::optional<Error> device_failure;
  std::map<RequestId, ActiveRequest> active;
  std::set<int64_t> open_chats;
  std::vector<RequestEvent> pending;  ///< Made between steps, by cancel().
  RequestId last_id = 0;
  EngineStats totals;  ///< The counters; stats() fills in the rest.
};

Engine::Engine(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(LoadedModel model, const EngineOptions& options) {
  if (options.max_sequences < 1 || options.max_batch_tokens < options.max_sequences) {
    return Error{ErrorCode::kInvalidArgument,
                 "The token budget of a step, " + std::to_string(options.max_batch_tokens) +
                     ", must be at least the number of sequences, " +
                     std::to_string(options.max_sequences) + ", and that at least 1."};
  }
  auto on_devices = allocate_on_devices(*model.decoder, options);
  if (!on_devices) return on_devices.error();
  return std::unique_ptr<Engine>(
      new Engine(std::make_unique<State>(std::move(model), std::move(*on_devices), options)));
}

const std::optional<Error>& Engine::device_failure() const {
  return m_state->device_failure;
}

void Engine::release_devices() {
  m_state->release_devices();
}

Result<void> Engine::resume(std::unique_ptr<Decoder> decoder) {
  auto on_devices = allocate_on_devices(*decoder, m_state->options);
  if (!on_devices) return on_devices.error();
  m_state->release_devices();
  m_state->resume(std::move(decoder), std::move(*on_devices));
  return {};
}

Result<void> Engine::reopen(const std::filesystem::path& path, const LoadOptions& load,
                            ModelDevices& devices) {
  release_devices();
  devices.close();
  if (const auto first = devices.at(0); !first) return first.error();
  // Tokenizer and template are loaded too: beside the weights they cost nothing.
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

Result<RequestId> Engine::submit(Request request) {
  return enqueue(std::move(request), /*warms=*/false);
}

Result<RequestId> Engine::warm(std::vector<TokenId> tokens) {
  Request request = {.prompt = std::move(tokens)};
  request.sampling.temperature = 0.0f;
  request.sampling.max_tokens = 1;
  return enqueue(std::move(request), /*warms=*/true);
}

Result<RequestId> Engine::enqueue(Request request, bool warms) {
  State& s = *m_state;
  if (s.device_failure) return *s.device_failure;
  if (const auto valid = validate(request, s.model.config.vocab_size, s.max_context); !valid) {
    return valid.error();
  }
  const RequestId id = ++s.last_id;
  const int prompt_tokens = static_cast<int>(request.prompt.size());
  const BlockOwner owner = {.chat = request.chat,
                            .shared_tokens = std::clamp(request.persona_tokens, 0, prompt_tokens)};
  auto sequence = std::make_unique<Sequence>(id, s.root, request.prompt, owner);
  sequence->focused = request.focused;
  s.transfer.request(*s.scheduler.add(std::move(sequence)));
  State::ActiveRequest active{.answer = Answer(s.model, request),
                              .chat = request.chat,
                              .persona = request.persona,
                              .message_starts = std::move(request.message_starts),
                              .warms = warms};
  s.active.emplace(id, std::move(active));
  return id;
}

void Engine::cancel(RequestId id) {
  if (!m_state->active.contains(id)) return;
  m_state->end(id, FinishReason::kCancelled, {}, m_state->pending);
}

void Engine::set_focused(RequestId id, bool focused) {
  if (Sequence* sequence = m_state->scheduler.find(id)) sequence->focused = focused;
}

void Engine::set_chat_open(int64_t chat, bool open) {
  if (open) {
    m_state->open_chats.insert(chat);
  } else {
    m_state->open_chats.erase(chat);
  }
  m_state->cache.set_chat_open(chat, open);
}

void Engine::forget_chat(int64_t chat) {
  set_chat_open(chat, false);
  m_state->history.forget(chat);
}

int Engine::set_pinned(std::span<const TokenId> tokens, bool pinned) {
  const BlockTable table(m_state->root, {tokens.begin(), tokens.end()});
  return m_state->cache.set_pinned(table, pinned);
}

PrefixHolding Engine::holding(std::span<const TokenId> tokens) const {
  const State& s = *m_state;
  const BlockTable table(s.root, {tokens.begin(), tokens.end()});
  const int held = s.cache.count_held(table);
  const PrefixStore* store = s.options.prefix_store.get();
  const int stored = store == nullptr ? 0 : store->count_stored(table.keys());
  // Chats share whole blocks, so the last, partial one may differ.
  const auto whole = tokens.first(table.keys().size() * kBlockSize);
  std::set<int64_t> chats = s.history.chats_beginning_with(whole);
  for (const auto& [id, request] : s.active) {
    const Sequence* sequence = s.scheduler.find(id);
    if (request.chat == 0 || sequence == nullptr) continue;
    if (begins_with(sequence->table.tokens(), whole)) chats.insert(request.chat);
  }
  const auto sharing = static_cast<int>(chats.size());
  return {.resident_tokens = held * kBlockSize,
          .stored_tokens = std::max(0, stored - held) * kBlockSize,
          .chats = sharing,
          .saved_bytes = static_cast<size_t>(std::max(0, sharing - 1)) * static_cast<size_t>(held) *
                         s.kv.layout().bytes_per_block()};
}

std::vector<RequestEvent> Engine::step() {
  State& s = *m_state;
  std::vector<RequestEvent> events = std::exchange(s.pending, {});
  if (s.device_failure || !s.runner) return events;
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

int Engine::count_cached(std::span<const TokenId> prompt) const {
  const BlockTable table(m_state->root, {prompt.begin(), prompt.end()});
  const int held = m_state->cache.count_held(table) * kBlockSize;
  return std::min(held, static_cast<int>(prompt.size()) - 1);  // The last one's logits are needed.
}

bool Engine::has_work() const {
  const State& s = *m_state;
  return s.scheduler.has_work() || !s.pending.empty() || s.submitted || s.transfer.is_sending();
}
const LoadedModel& Engine::model() const {
  return m_state->model;
}
int Engine::max_context() const {
  return m_state->max_context;
}

EngineStats Engine::stats() const {
  EngineStats stats = m_state->totals;
  stats.bytes_per_block = m_state->kv.layout().bytes_per_block();
  fill_pool_stats(stats, m_state->cache, m_state->scheduler);
  const PrefixStore* store = m_state->options.prefix_store.get();
  if (store != nullptr) stats.stored_bytes = store->stored_bytes();
  return stats;
}

std::vector<BlockState> Engine::block_map() const {
  return map_blocks(m_state->cache, m_state->scheduler, m_state->options.prefix_store.get());
}

std::optional<BlockText> Engine::block_text(int block) const {
  const State& s = *m_state;
  std::optional<BlockText> text = read_block(block, s.cache, s.scheduler, *s.model.chat->tokenizer);
  if (!text || text->position < 0) return text;
  if (const Sequence* holder = find_holder(s.scheduler, block)) {
    text->message = message_holding(s.starts_with_answer(*holder), text->position);
  } else {
    const BlockCache::LastUse last = s.cache.last_use(block);
    const auto tokens = s.cache.index().tokens_of(block);
    text->message = s.history.find_message(last.chat, text->position, tokens);
  }
  return text;
}

}  // namespace quire
