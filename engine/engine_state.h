#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/answer.h"
#include "engine/block_reader.h"
#include "engine/chat/chat_history.h"
#include "engine/engine.h"
#include "engine/engine_stats.h"
#include "engine/memory/kv_budget.h"
#include "engine/on_devices.h"
#include "engine/plan_runner.h"
#include "engine/prefix_transfer.h"

namespace quire {

/// So many come back from host memory in a step beside others: some milliseconds over PCIe.
inline int blocks_a_step(const KvLayout& layout) {
  constexpr size_t kBytesPerStep = size_t{128} << 20;
  return static_cast<int>(std::max<size_t>(1, kBytesPerStep / layout.bytes_per_block()));
}

/// What an engine knows and does; engine.cpp is its face. Thread: the engine's.
struct Engine::State {
  /// A step that was submitted and not waited for. Its sequences may end meanwhile, and go.
  struct Flight {
    StepPlan plan;
    std::vector<RequestId> ids;  ///< Of the plan's rows.
  };

  State(LoadedModel loaded, OnDevices on_devices, const EngineOptions& engine_options)
      : model(std::move(loaded)),
        options(engine_options),
        root(root_key(cache_scope(model, on_devices.kv.layout().dtype))),
        kv(std::move(on_devices.kv)),
        host(std::move(on_devices.host)),
        cache(kv.num_blocks(), options.prefix_cache, host.get()),
        scheduler(cache, {.max_batch_tokens = options.max_batch_tokens,
                          .max_sequences = options.max_sequences,
                          .max_restored_blocks = blocks_a_step(kv.layout())}),
        transfer(options.prefix_store, cache, kv),
        max_context(on_devices.max_context) {
    plan_runner.emplace(make_plan_runner(std::move(on_devices.runner)));
  }

  PlanRunner make_plan_runner(ModelRunner runner) {
    return PlanRunner(model, kv, std::move(runner), [this](const ScheduledRows& rows) -> Answer& {
      return served.at(rows.sequence->id).answer;
    });
  }

  RequestEvent& event_for(RequestId id, std::vector<RequestEvent>& events) {
    events.push_back({.id = id});
    return events.back();
  }

  /// Ends a request from outside and gives its blocks back.
  void end(RequestId id, FinishReason reason, Error error, std::vector<RequestEvent>& events) {
    RequestEvent& event = event_for(id, events);
    event.error = std::move(error);
    served.at(id).answer.end(reason, event);
    remove(id, event);
  }

  /// The request's last event was made: counts what it cost, keeps what its chat computed, and
  /// forgets it.
  void remove(RequestId id, RequestEvent& event) {
    Served& request = served.at(id);
    if (const Sequence* sequence = scheduler.find(id)) {
      event.usage.computed_tokens = static_cast<int>(sequence->num_rows);
      event.usage.swapped_tokens = sequence->num_swapped;
      event.usage.preemptions = sequence->num_preemptions;
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
    served.erase(id);
  }

  /// Whatever was computed is lost; what is known of the chats stays.
  void release_devices() {
    forget_flight();
    scheduler.preempt_all();
    transfer.forget_all();
    plan_runner.reset();
    cache = BlockCache(1, /*share_prefixes=*/false);
    host.reset();
    kv = KvStorage::none(kv.layout());
    model.decoder.reset();
  }

  void resume(std::unique_ptr<Decoder> decoder, OnDevices on_devices) {
    model.decoder = std::move(decoder);
    kv = std::move(on_devices.kv);
    host = std::move(on_devices.host);
    cache = BlockCache(kv.num_blocks(), options.prefix_cache, host.get());
    for (const int64_t chat : open_chats) cache.set_chat_open(chat, true);
    max_context = on_devices.max_context;
    plan_runner.emplace(make_plan_runner(std::move(on_devices.runner)));
    root = root_key(cache_scope(model, kv.layout().dtype));
    scheduler.rename(root);
    device_failure.reset();
    end_what_does_not_fit();
  }

  void end_what_does_not_fit() {
    std::vector<RequestId> ids;
    for (const auto& sequence : scheduler.waiting()) {
      if (sequence->table.num_tokens() >= max_context) ids.push_back(sequence->id);
    }
    for (const RequestId id : ids) end(id, FinishReason::kContext, {}, pending);
  }

  Result<void> step(std::vector<RequestEvent>& events) {
    if (auto received = transfer.receive(scheduler, waits_for_store()); !received) return received;
    const auto computed = flight ? land(events) : schedule_and_compute(events);
    if (!computed) return computed;
    return transfer.send();
  }

  Result<void> schedule_and_compute(std::vector<RequestEvent>& events) {
    StepPlan plan = scheduler.schedule();
    for (const RequestId id : plan.exhausted) end(id, FinishReason::kContext, {}, events);
    if (!plan.rows.empty()) note_scheduled(plan);
    if (plan_runner->can_start(plan)) {
      if (auto started = take_off(std::move(plan), /*follows=*/false); !started) return started;
      return land(events);
    }
    if (auto copied = transfer.make(plan.copies); !copied) return copied;
    return plan.rows.empty() ? Result<void>() : compute(plan, events);
  }

  /// Computes the plan whole.
  Result<void> compute(const StepPlan& plan, std::vector<RequestEvent>& events) {
    const auto drawn = plan_runner->compute(plan);
    if (!drawn) return drawn.error();
    scheduler.mark_computed(plan);
    advance(plan, *drawn, events);
    return {};
  }

  /// Submits a step of decodes without waiting for it.
  Result<void> take_off(StepPlan plan, bool follows) {
    if (auto copied = transfer.make(plan.copies); !copied) return copied;
    if (auto started = plan_runner->start(plan, follows); !started) return started;
    Flight next;
    for (const ScheduledRows& rows : plan.rows) next.ids.push_back(rows.sequence->id);
    next.plan = std::move(plan);
    flight = std::move(next);
    return {};
  }

  /// The step that is under way comes in; the one after it is submitted before, if it is more of
  /// the same, so that the device goes on while tokens become text.
  Result<void> land(std::vector<RequestEvent>& events) {
    Flight landing = *std::exchange(flight, std::nullopt);
    if (auto next = step_after(landing)) {
      count_rows(*next);
      if (auto started = take_off(std::move(*next), /*follows=*/true); !started) return started;
    }
    const auto tokens = plan_runner->finish();
    if (!tokens) return tokens.error();
    StepPlan plan;
    PlanRunner::Drawn drawn;
    for (size_t i = 0; i < landing.ids.size(); ++i) {
      if (!served.contains(landing.ids[i])) continue;  // It ended while this was under way.
      plan.rows.push_back(landing.plan.rows[i]);
      drawn.push_back(served.at(landing.ids[i]).answer.drawn((*tokens)[i]));
    }
    scheduler.mark_computed(plan);
    advance(plan, drawn, events);
    return {};
  }

  std::optional<StepPlan> step_after(const Flight& landing) {
    const auto goes_on = [&](RequestId id) {
      const auto it = served.find(id);
      return it != served.end() && it->second.answer.can_look_ahead(max_context);
    };
    if (!std::ranges::all_of(landing.ids, goes_on)) return std::nullopt;
    return scheduler.follow(landing.plan);
  }

  void advance(const StepPlan& plan, const PlanRunner::Drawn& drawn,
               std::vector<RequestEvent>& events) {
    size_t index = 0;
    for (const ScheduledRows& rows : plan.rows) {
      if (rows.samples) advance(*rows.sequence, drawn[index++], events);
    }
  }

  void advance(Sequence& sequence, const Result<SampledToken>& drawn,
               std::vector<RequestEvent>& events) {
    const RequestId id = sequence.id;
    Answer& answer = served.at(id).answer;
    RequestEvent& event = event_for(id, events);
    const std::optional<TokenId> token = answer.advance(drawn, event);
    if (!served.at(id).warms) totals.output_tokens += event.tokens.size();
    if (token && answer.num_tokens() >= max_context) answer.end(FinishReason::kContext, event);
    event.usage.computed_tokens = static_cast<int>(sequence.num_rows);
    event.usage.swapped_tokens = sequence.num_swapped;
    event.usage.preemptions = sequence.num_preemptions;
    if (event.usage.output_tokens == 1) keep_persona(sequence);
    if (event.finish) return remove(id, event);
    scheduler.append(sequence, *token);
  }

  /// The whole prompt is computed: what it shares with other chats is worth keeping.
  void keep_persona(const Sequence& sequence) {
    const Served& request = served.at(sequence.id);
    const int num_blocks = sequence.table.owner().shared_tokens / kBlockSize;
    if (request.persona == 0) return;
    transfer.keep(sequence.table, num_blocks, {PrefixOwner::Kind::kPersona, request.persona});
  }

  void note_scheduled(const StepPlan& plan) {
    for (const ScheduledRows& rows : plan.rows) {
      if (!served.at(rows.sequence->id).is_admitted) note_admitted(*rows.sequence);
    }
    count_rows(plan);
  }

  void count_rows(const StepPlan& plan) {
    totals.batch_tokens = plan.num_tokens;
    totals.batch_sequences = static_cast<int>(plan.rows.size());
    totals.computed_tokens += plan.num_tokens;
    ++totals.steps;
  }

  void note_admitted(const Sequence& sequence) {
    Served& request = served.at(sequence.id);
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
    std::vector<int> starts = served.at(sequence.id).message_starts;
    if (!starts.empty()) starts.push_back(sequence.num_prompt);
    return starts;
  }

  std::optional<BlockText> read_block(BlockId block) const {
    if (block < 0 || block >= cache.pool().size()) return std::nullopt;
    HeldBlock held = find_holders(scheduler, block);
    const auto named = cache.index().tokens_of(block);
    const auto tokens = held.first != nullptr ? held.tokens() : named;
    if (tokens.empty()) return std::nullopt;
    BlockText read = {.text = spell_tokens(*model.tokenizer, tokens),
                      .num_tokens = static_cast<int>(tokens.size()),
                      .chats = std::move(held.chats),
                      .is_held = held.first != nullptr};
    if (held.first != nullptr) {
      read.position = held.index * kBlockSize;
      read.message = message_holding(starts_with_answer(*held.first), read.position);
      return read;
    }
    const BlockCache::LastUse last = cache.last_use(block);
    if (last.chat != 0) read.chats = {last.chat};
    if (last.index >= 0) read.position = last.index * kBlockSize;
    read.message = history.find_message(last.chat, read.position, tokens);
    return read;
  }

  /// Nothing can be computed before blocks have come from the store.
  bool waits_for_store() const {
    const auto awaits = [](const auto& sequence) { return sequence->awaits_store; };
    return scheduler.running().empty() && std::ranges::all_of(scheduler.waiting(), awaits);
  }

  std::vector<RequestEvent> fail_all(const Error& error, std::vector<RequestEvent> events) {
    while (!served.empty()) {
      end(served.begin()->first, FinishReason::kFailed, error, events);
    }
    forget_flight();
    // What is to be kept may lie on a device that does not answer.
    if (device_failure) transfer.forget_all();
    cache.forget_all();
    return events;
  }

  void forget_flight() {
    flight.reset();
    if (plan_runner) plan_runner->give_up();
  }

  /// What is known of a request beside its tokens.
  struct Served {
    Answer answer;
    int64_t chat = 0;
    int64_t persona = 0;
    std::vector<int> message_starts;
    bool warms = false;        ///< Nobody waits for an answer.
    bool is_admitted = false;  ///< Once; whoever starts again later is not counted again.
  };

  LoadedModel model;
  EngineOptions options;
  BlockKey root;
  KvStorage kv;
  std::unique_ptr<HostBlockStore> host;  ///< Null: what leaves the pool is computed again.
  BlockCache cache;
  Scheduler scheduler;
  PrefixTransfer transfer;
  ChatHistory history;
  int max_context;
  std::optional<PlanRunner> plan_runner;  ///< None after release_devices().
  std::optional<Flight> flight;
  std::optional<Error> device_failure;
  std::map<RequestId, Served> served;
  std::set<int64_t> open_chats;
  std::vector<RequestEvent> pending;  ///< Made between steps, by cancel().
  RequestId last_id = 0;
  EngineStats totals;  ///< The counters; the rest is filled in by stats().
};

}  // namespace quire
