#include "engine/engine.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/answer.h"
#include "engine/engine_stats.h"
#include "engine/kv_budget.h"
#include "engine/model_runner.h"
#include "engine/scheduler/batch.h"

namespace quire {

struct Engine::State {
  State(LoadedModel loaded, KvStorage storage, ModelRunner model_runner,
        const EngineOptions& engine_options)
      : model(std::move(loaded)),
        options(engine_options),
        root(root_key(cache_scope(model, options.kv_dtype))),
        kv(std::move(storage)),
        cache(kv.num_blocks(), options.prefix_cache),
        scheduler(cache, {.max_batch_tokens = options.max_batch_tokens,
                          .max_sequences = options.max_sequences}),
        runner(std::move(model_runner)) {}

  RequestEvent& event_for(RequestId id, std::vector<RequestEvent>& events) {
    events.push_back({.id = id});
    return events.back();
  }

  /// Ends a request from outside and gives its blocks back.
  void end(RequestId id, FinishReason reason, std::string error,
           std::vector<RequestEvent>& events) {
    RequestEvent& event = event_for(id, events);
    event.error = std::move(error);
    answers.at(id).end(reason, event);
    remove(id, event);
  }

  /// The request's last event was made: counts what it cost and forgets it.
  void remove(RequestId id, RequestEvent& event) {
    if (const Sequence* sequence = scheduler.find(id)) {
      event.usage.computed_tokens = static_cast<int>(sequence->num_rows);
      event.usage.preemptions = sequence->num_preemptions;
      totals.preemptions += sequence->num_preemptions;
    }
    scheduler.remove(id);
    answers.erase(id);
  }

  /// Draws a token for each sequence whose last row was computed.
  void sample(const StepPlan& plan, std::span<float> logits, std::vector<RequestEvent>& events) {
    const size_t vocab = model.config.vocab_size;
    size_t row = 0;
    for (const ScheduledRows& rows : plan.rows) {
      if (rows.samples) advance(*rows.sequence, logits.subspan(row++ * vocab, vocab), events);
    }
  }

  void advance(Sequence& sequence, std::span<float> logits, std::vector<RequestEvent>& events) {
    const RequestId id = sequence.id;
    Answer& answer = answers.at(id);
    RequestEvent& event = event_for(id, events);
    const std::optional<TokenId> token = answer.advance(logits, sampler, event);
    totals.output_tokens += event.tokens.size();
    if (token && answer.num_tokens() >= max_context) answer.end(FinishReason::kContext, event);
    event.usage.computed_tokens = static_cast<int>(sequence.num_rows);
    event.usage.preemptions = sequence.num_preemptions;
    if (event.finish) return remove(id, event);
    scheduler.append(sequence, *token);
  }

  void note_scheduled(const StepPlan& plan) {
    for (const ScheduledRows& rows : plan.rows) {
      if (rows.sequence->num_rows == 0) {
        answers.at(rows.sequence->id).mark_scheduled(rows.sequence->num_cached);
        totals.cached_tokens += rows.sequence->num_cached;
      }
    }
    totals.batch_tokens = plan.num_tokens;
    totals.batch_sequences = static_cast<int>(plan.rows.size());
    totals.computed_tokens += plan.num_tokens;
    ++totals.steps;
  }

  LoadedModel model;
  EngineOptions options;
  BlockKey root;
  KvStorage kv;
  BlockCache cache;
  Scheduler scheduler;
  ModelRunner runner;
  Sampler sampler;
  std::map<RequestId, Answer> answers;
  std::vector<RequestEvent> pending;  ///< Made between steps, by cancel().
  RequestId last_id = 0;
  int max_context = 0;
  EngineStats totals;  ///< The counters; the rest is filled in by stats().
};

Engine::Engine(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(LoadedModel model, Backend& backend,
                                               const EngineOptions& options) {
  if (options.max_sequences < 1 || options.max_batch_tokens < options.max_sequences) {
    return Error{ErrorCode::kInvalidArgument,
                 "The token budget of a step, " + std::to_string(options.max_batch_tokens) +
                     ", must be at least the number of sequences, " +
                     std::to_string(options.max_sequences) + ", and that at least 1."};
  }
  const auto num_blocks = pick_num_blocks(model.config, options, backend.info());
  if (!num_blocks) return num_blocks.error();
  auto kv = KvStorage::allocate(backend, kv_layout(model.config, options.kv_dtype), *num_blocks);
  if (!kv) return kv.error();
  const int context = options.max_context > 0
                          ? std::min(options.max_context, model.config.max_positions)
                          : model.config.max_positions;
  const int max_context =
      static_cast<int>(std::min<int64_t>(context, int64_t{*num_blocks} * kBlockSize));
  auto runner = ModelRunner::create(backend, *model.decoder,
                                    {.max_tokens = options.max_batch_tokens,
                                     .max_sequences = options.max_sequences,
                                     .max_blocks = blocks_for(max_context),
                                     .max_logits = options.max_sequences});
  if (!runner) return runner.error();
  auto state =
      std::make_unique<State>(std::move(model), std::move(*kv), std::move(*runner), options);
  state->max_context = max_context;
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

Result<RequestId> Engine::submit(Request request) {
  State& s = *m_state;
  if (const auto valid = validate(request, s.model.config.vocab_size, s.max_context); !valid) {
    return valid.error();
  }
  const RequestId id = ++s.last_id;
  auto sequence = std::make_unique<Sequence>(id, s.root, request.prompt);
  sequence->focused = request.focused;
  s.scheduler.add(std::move(sequence));
  s.answers.emplace(id, Answer(s.model, std::move(request)));
  return id;
}

void Engine::cancel(RequestId id) {
  if (!m_state->answers.contains(id)) return;
  m_state->end(id, FinishReason::kCancelled, {}, m_state->pending);
}

void Engine::set_focused(RequestId id, bool focused) {
  if (Sequence* sequence = m_state->scheduler.find(id)) sequence->focused = focused;
}

std::vector<RequestEvent> Engine::step() {
  State& s = *m_state;
  std::vector<RequestEvent> events = std::exchange(s.pending, {});
  const StepPlan plan = s.scheduler.schedule();
  for (const RequestId id : plan.exhausted) s.end(id, FinishReason::kContext, {}, events);
  if (plan.rows.empty()) return events;
  s.note_scheduled(plan);
  const auto logits = s.runner.run(make_forward_batch(plan), s.kv);
  if (!logits) return fail_all(logits.error(), std::move(events));
  s.scheduler.mark_computed(plan);
  s.sample(plan, *logits, events);
  return events;
}

std::vector<RequestEvent> Engine::fail_all(const Error& error, std::vector<RequestEvent> events) {
  while (!m_state->answers.empty()) {
    m_state->end(m_state->answers.begin()->first, FinishReason::kFailed, error.message, events);
  }
  return events;
}

bool Engine::has_work() const {
  return m_state->scheduler.has_work() || !m_state->pending.empty();
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
  return stats;
}

}  // namespace quire
