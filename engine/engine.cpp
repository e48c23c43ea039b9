#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "engine/adapter_set.h"
#include "engine/answer.h"
#include "engine/memory/device_state.h"
#include "engine/memory/kv_budget.h"
#include "engine/scheduler/prefix_transfer.h"
#include "engine/speculation/speculation.h"

namespace quire {
namespace {

/// At most restored from host memory in a step with other work: some milliseconds over PCIe.
constexpr size_t kRestoredBytesPerStep = size_t{128} << 20;

void set_costs(const Sequence& sequence, RequestUsage& usage) {
  usage.computed_tokens = static_cast<int>(sequence.num_rows);
  usage.swapped_tokens = sequence.num_swapped;
  usage.preemptions = sequence.num_preemptions;
}

}  // namespace

/// Thread: the engine's. Invariants: `active` has the same ids as the scheduler's sequences.
struct Engine::State {
  /// A request, beside its tokens, which its Sequence holds.
  struct ActiveRequest {
    int64_t persona = 0;
    AdapterId adapter = 0;
    bool warms = false;        ///< Only fills the cache: its answer is not read.
    bool is_admitted = false;  ///< Stays set after a preemption, so that it is counted once.
    Answer answer;
  };
  /// A step that was submitted and not waited for. Its sequences may end before it does.
  struct SubmittedStep {
    StepPlan plan;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    std::vector<RequestId> ids;  ///< Of the plan's rows.
  };
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
        speculation(options.speculation, options.drafter) {}

  /// The engine's loop: schedule, submit, wait, complete. Where the next step needs no more than
  /// the tokens of this one, it is submitted before this one was waited for.
  Result<void> step(std::vector<RequestEvent>& events) {
    if (auto received = transfer.receive(scheduler, waits_for_store()); !received) return received;
    if (!submitted) {
      if (auto done = schedule_and_submit(events); !done) return done;
    }
    if (submitted) {
      if (auto done = finish_step(events); !done) return done;
    }
    return transfer.send();
  }

  /// Whether nothing can be computed before blocks have been read from the store.
  bool waits_for_store() const {
    return scheduler.running().empty() &&
           std::ranges::all_of(scheduler.waiting(), &Sequence::awaits_store);
  }

  Result<void> schedule_and_submit(std::vector<RequestEvent>& events) {
    propose_drafts();
    StepPlan plan = scheduler.schedule();
    for (const RequestId id : plan.exhausted) end(id, FinishReason::kContext, {}, events);
    if (plan.rows.empty()) return transfer.make(plan.copies);
    for (const ScheduledRows& rows : plan.rows) {
      if (!active.at(rows.sequence->id).is_admitted) record_admission(*rows.sequence);
    }
    return submit(std::move(plan), /*follows=*/false);
  }

  void propose_drafts() {
    if (options.speculation == SpeculationMode::kAuto && devices.runner->can_run_ahead()) return;
    speculation.propose(scheduler, [this](DraftRequest& request) {
      active.at(request.id).answer.describe(request, devices.max_context);
    });
  }

  /// Submits a step without waiting for it. `follows`: the input token of each row is the one that
  /// the previously submitted step samples for it.
  Result<void> submit(StepPlan plan, bool follows) {
    if (auto copied = transfer.make(plan.copies); !copied) return copied;
    count_rows(plan);
    sample_rows.clear();
    ModelRunner::Sampling sampling = {.follows = follows};
    SubmittedStep next;
    for (const ScheduledRows& rows : plan.rows) {
      next.ids.push_back(rows.sequence->id);
      if (!rows.samples) continue;
      Answer& answer = active.at(rows.sequence->id).answer;
      if (follows) {
        answer.add_row(sample_rows, 1);
      } else {
        answer.add_rows(sample_rows, std::span(rows.sequence->drafts).first(rows.num_drafts));
      }
      sampling.wants_logits |= answer.wants_logits();
    }
    sampling.rows = sample_rows.batch();
    const auto done = devices.runner->submit(make_forward_batch(plan), devices.kv, sampling);
    if (!done) return done;
    next.plan = std::move(plan);
    submitted = std::move(next);
    return {};
  }

  /// Waits for the submitted step. If the next step only decodes, submits it first, so that the
  /// device computes while the host turns tokens into text.
  Result<void> finish_step(std::vector<RequestEvent>& events) {
    SubmittedStep finished = *std::exchange(submitted, std::nullopt);
    if (auto next = step_after(finished)) {
      if (auto done = submit(std::move(*next), /*follows=*/true); !done) return done;
    }
    const auto sampled = devices.runner->wait();
    if (!sampled) return sampled.error();
    note_time(finished);
    size_t logits_row = 0;
    for (size_t i = 0; i < finished.ids.size(); ++i) {
      const ScheduledRows& rows = finished.plan.rows[i];
      const size_t first = logits_row;
      logits_row += static_cast<size_t>(rows.num_logits());
      // A request may have ended while its step was computed.
      if (active.contains(finished.ids[i])) complete(rows, *sampled, first, events);
    }
    return {};
  }

  /// Steps that do nothing but decode, and are not followed, tell what their rows cost.
  void note_time(const SubmittedStep& step) {
    const auto decodes = [](const ScheduledRows& rows) {
      return rows.samples && rows.count == 1 + rows.num_drafts;
    };
    if (submitted || !std::ranges::all_of(step.plan.rows, decodes)) return;
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - step.began;
    speculation.note_step(step.plan.num_tokens, took.count());
  }

  std::optional<StepPlan> step_after(const SubmittedStep& step) {
    if (options.speculation == SpeculationMode::kAlways) return std::nullopt;
    const auto decodes = [](const ScheduledRows& rows) { return rows.count == 1 && rows.samples; };
    const auto goes_on = [&](RequestId id) {
      const auto it = active.find(id);
      return it != active.end() && it->second.adapter == 0 &&
             it->second.answer.can_look_ahead(devices.max_context);
    };
    const bool can_follow = devices.runner->can_run_ahead() &&
                            std::ranges::all_of(step.plan.rows, decodes) &&
                            std::ranges::all_of(step.ids, goes_on);
    return can_follow ? scheduler.follow(step.plan) : std::nullopt;
  }

  /// Appends what was sampled from the rows: the next token, and as long as the draft after it
  /// equals it, the one after that. `logits_row`: the first of what was sampled.
  void complete(const ScheduledRows& rows, const ModelRunner::Sampled& sampled, size_t logits_row,
                std::vector<RequestEvent>& events) {
    scheduler.mark_computed(rows);
    if (!rows.samples) return;
    Sequence& sequence = *rows.sequence;
    ActiveRequest& request = active.at(sequence.id);
    RequestEvent& event = events.emplace_back(RequestEvent{.id = sequence.id});
    int accepted = 0;
    while (advance(sequence, request, sampled, logits_row + static_cast<size_t>(accepted), event)) {
      const TokenId token = sequence.table.tokens().back();
      if (accepted == rows.num_drafts || sequence.drafts[size_t(accepted)] != token) break;
      scheduler.accept_draft(sequence);
      ++accepted;
    }
    finish_rows(rows, request, accepted, event);
  }

  /// Appends one token; returns whether the answer continues.
  bool advance(Sequence& sequence, ActiveRequest& request, const ModelRunner::Sampled& sampled,
               size_t logits_row, RequestEvent& event) {
    const TokenId token = sampled.tokens[logits_row];
    const auto vocab = static_cast<size_t>(model.config.vocab_size);
    const auto logits = sampled.logits.empty() ? std::span<const float>()
                                               : sampled.logits.subspan(logits_row * vocab, vocab);
    const bool continues = request.answer.advance(token, logits, event);
    if (event.usage.output_tokens == 1) {
      store(sequence.table, sequence.table.owner().shared_tokens,
            {PrefixOwner::Kind::kPersona, request.persona});
    }
    if (continues && request.answer.num_tokens() >= devices.max_context) {
      request.answer.end(FinishReason::kContext, event);
    }
    if (event.finish) return false;
    sequence.table.append(token);
    return true;
  }

  void finish_rows(const ScheduledRows& rows, ActiveRequest& request, int accepted,
                   RequestEvent& event) {
    Sequence& sequence = *rows.sequence;
    scheduler.drop_drafts(sequence);
    speculation.judge(sequence.id, event.tokens);
    request.answer.count_drafts(rows.num_drafts, accepted);
    totals.drafted_tokens += static_cast<uint64_t>(rows.num_drafts);
    totals.accepted_tokens += static_cast<uint64_t>(accepted);
    if (!request.warms) totals.output_tokens += event.tokens.size();
    event.usage.drafted_tokens += rows.num_drafts;
    event.usage.accepted_tokens += accepted;
    set_costs(sequence, event.usage);
    if (event.finish) remove(sequence.id, event);
  }

  /// Stores the whole blocks of the table's first `num_tokens` tokens, unless the owner's id is 0.
  void store(const BlockTable& table, int num_tokens, const PrefixOwner& owner) {
    if (owner.id != 0) transfer.keep(table, num_tokens / kBlockSize, owner);
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
    PrefixMiss miss = history.explain(sequence.table.owner().chat, prompt, cached);
    if (miss.reason == PrefixMiss::Reason::kEvicted && sequence.num_cut > 0) {
      miss.reason = PrefixMiss::Reason::kNoState;
    }
    if (miss.reason != PrefixMiss::Reason::kNone) {
      miss.message = message_at(sequence.message_starts, miss.position);
    }
    request.answer.mark_scheduled(cached, disk, miss);
    if (request.warms) return;
    totals.prompt_tokens += sequence.num_prompt;
    totals.cached_tokens += cached;
    totals.cut_tokens += sequence.num_cut;
    totals.disk_tokens += disk;
  }

  /// Ends a request between its steps and frees its blocks.
  void end(RequestId id, FinishReason reason, Error error, std::vector<RequestEvent>& events) {
    RequestEvent& event = events.emplace_back(RequestEvent{.id = id});
    event.error = std::move(error);
    active.at(id).answer.end(reason, event);
    remove(id, event);
  }

  /// Removes a request after its last event: records its cost and what its chat computed.
  void remove(RequestId id, RequestEvent& event) {
    const Sequence& sequence = *scheduler.find(id);
    const BlockTable& table = sequence.table;
    const int64_t chat = table.owner().chat;
    set_costs(sequence, event.usage);
    totals.preemptions += sequence.num_preemptions;
    store(table, table.num_computed(), {PrefixOwner::Kind::kChat, chat});
    if (table.num_computed() > 0) history.record(chat, table.tokens(), sequence.message_starts);
    scheduler.remove(id);
    speculation.forget(id);
    active.erase(id);
  }

  /// Frees everything computed; keeps the chats' tokens and the history.
  void release_devices() {
    drop_submitted();
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
    std::vector<AdapterId> in_use;
    for (const auto& [id, request] : active) in_use.push_back(request.adapter);
    return adapters.load(path, *model.decoder, &*devices.runner, in_use);
  }

  Result<void> resume(std::unique_ptr<Decoder> decoder) {
    if (auto reloaded = adapters.reload(*decoder); !reloaded) return reloaded;
    auto on_devices = allocate_on_devices(*decoder, options);
    if (!on_devices) return on_devices.error();
    release_devices();
    model.decoder = std::move(decoder);
    devices = std::move(*on_devices);
    cache.reset(devices.kv.num_blocks(), devices.host.get(), devices.states, devices.windows);
    scope = cache_scope(model, devices.kv.layout().dtype);
    scheduler.rename([this](AdapterId adapter) { return root_of(adapter); });
    device_failure.reset();
    std::vector<RequestId> too_long;
    for (const auto& sequence : scheduler.waiting()) {
      if (sequence->table.num_tokens() >= devices.max_context) too_long.push_back(sequence->id);
    }
    for (const RequestId id : too_long) end(id, FinishReason::kContext, {}, pending);
    return {};
  }

  std::vector<RequestEvent> fail_all(const Error& error, std::vector<RequestEvent> events) {
    while (!active.empty()) end(active.begin()->first, FinishReason::kFailed, error, events);
    drop_submitted();
    // Blocks that were to be stored may lie on a device that no longer answers.
    if (device_failure) transfer.forget_all();
    cache.forget_all();
    return events;
  }

  void drop_submitted() {
    submitted.reset();
    if (devices.runner) devices.runner->drop_submitted();
  }

  BlockReport report() const {
    return {cache,
            scheduler,
            history,
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
  ChatHistory history;
  SampleRows sample_rows;
  std::optional<SubmittedStep> submitted;
  std::optional<Error> device_failure;
  std::map<RequestId, ActiveRequest> active;
  std::vector<RequestEvent> pending;  ///< Made between steps, by cancel().
  RequestId last_id = 0;
  EngineStats totals;  ///< The counters; stats() fills in the rest.
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

Result<RequestId> Engine::submit(Request request) {
  return enqueue(std::move(request), /*warms=*/false);
}

Result<RequestId> Engine::warm(std::vector<TokenId> tokens) {
  return enqueue({.prompt = std::move(tokens), .sampling = {.temperature = 0.0f, .max_tokens = 1}},
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
  sequence->focused = request.focused;
  sequence->message_starts = std::move(request.message_starts);
  if (!sequence->message_starts.empty()) sequence->message_starts.push_back(prompt_tokens);
  s.transfer.request(*s.scheduler.add(std::move(sequence)));
  s.active.emplace(id, State::ActiveRequest{.persona = request.persona,
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
  if (!m_state->active.contains(id)) return;
  m_state->end(id, FinishReason::kCancelled, {}, m_state->pending);
}

void Engine::set_focused(RequestId id, bool focused) {
  if (Sequence* sequence = m_state->scheduler.find(id)) sequence->focused = focused;
}

void Engine::set_chat_open(int64_t chat, bool open) {
  m_state->cache.set_chat_open(chat, open);
}

void Engine::forget_chat(int64_t chat) {
  set_chat_open(chat, false);
  m_state->history.forget(chat);
}

int Engine::set_pinned(std::span<const TokenId> tokens, bool pinned) {
  const BlockTable table(m_state->root_of(0), {tokens.begin(), tokens.end()});
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
  return s.scheduler.has_work() || !s.pending.empty() || s.submitted || s.transfer.is_sending();
}
const LoadedModel& Engine::model() const {
  return m_state->model;
}
int Engine::max_context() const {
  return m_state->devices.max_context;
}

EngineStats Engine::stats() const {
  return m_state->report().stats(m_state->totals);
}

std::vector<BlockState> Engine::block_map() const {
  return m_state->report().block_map();
}

std::optional<BlockText> Engine::block_text(int block) const {
  return m_state->report().block_text(block, *m_state->model.chat->tokenizer);
}

}  // namespace quire
