#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "engine/engine_state.h"

namespace quire {

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
  State::Served served{.answer = Answer(s.model, request),
                       .chat = request.chat,
                       .persona = request.persona,
                       .message_starts = std::move(request.message_starts),
                       .warms = warms};
  s.served.emplace(id, std::move(served));
  return id;
}

void Engine::cancel(RequestId id) {
  if (!m_state->served.contains(id)) return;
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
  for (const auto& [id, request] : s.served) {
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
  if (s.device_failure || !s.plan_runner) return events;
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
  return s.scheduler.has_work() || !s.pending.empty() || s.flight || s.transfer.is_sending();
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
  return m_state->read_block(block);
}

}  // namespace quire
