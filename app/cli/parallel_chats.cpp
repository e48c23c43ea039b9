#include "app/cli/parallel_chats.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/state_report.h"
#include "engine/cache/block_table.h"

namespace quire {
namespace {

/// With fewer sequences the pool's waste is mostly the last block of a single chat.
constexpr int kWasteSequences = 2;
constexpr uint32_t kSeed = 1;

std::chrono::nanoseconds from_ms(double ms) {
  return std::chrono::nanoseconds(static_cast<int64_t>(ms * 1e6));
}

}  // namespace

int64_t tokens_of_a_chat(const ParallelChatsOptions& options) {
  const int64_t turn = int64_t{options.user_tokens} + options.generate_tokens;
  return options.persona_tokens + options.turns * turn;
}

ParallelChats::ParallelChats(Llm& llm, const ParallelChatsOptions& options)
    : m_engine(&llm.engine()),
      m_options(options),
      m_prompts(*llm.model().chat->tokenizer, kSeed),
      m_chats(static_cast<size_t>(options.num_chats)) {
  const std::vector<TokenId> persona = m_prompts.make(options.persona_tokens);
  for (Chat& chat : m_chats) chat.tokens = persona;
  if (options.message_seed == 0) return;
  m_prompts = RandomPrompts(*llm.model().chat->tokenizer,
                            kSeed + static_cast<uint32_t>(options.message_seed));
}

Result<void> ParallelChats::play() {
  m_begin = Clock::now();
  m_chats.front().due = m_begin;
  while (!is_over()) {
    const Clock::time_point now = Clock::now();
    if (auto submitted = submit_due(now); !submitted) return submitted;
    if (!m_engine->has_work()) {
      std::this_thread::sleep_until(next_due());
      continue;
    }
    if (auto stepped = step(); !stepped) return stepped;
    m_busy_ms += std::chrono::duration<double, std::milli>(Clock::now() - now).count();
  }
  m_total_ms = elapsed_ms();
  // Blocks are saved to the prefix store after the last answer.
  while (m_engine->has_work() && !m_engine->device_failure()) m_engine->step();
  return {};
}

Result<void> ParallelChats::submit_due(Clock::time_point now) {
  for (size_t i = 0; i < m_chats.size(); ++i) {
    if (m_chats[i].due > now) continue;
    if (auto submitted = submit(i); !submitted) return submitted;
  }
  return {};
}

Result<void> ParallelChats::submit(size_t index) {
  Chat& chat = m_chats[index];
  const std::vector<TokenId> message = m_prompts.make(m_options.user_tokens);
  chat.tokens.insert(chat.tokens.end(), message.begin(), message.end());
  chat.due = Clock::time_point::max();
  const auto id = m_engine->submit({.prompt = chat.tokens,
                                    .sampling = {.temperature = 0.0f,
                                                 .max_tokens = m_options.generate_tokens,
                                                 .ignore_eos = true},
                                    .chat = static_cast<int64_t>(index) + 1,
                                    .persona = 1,
                                    .persona_tokens = m_options.persona_tokens});
  if (!id) return id.error();
  m_running[*id] = {.chat = index, .number = chat.turns_begun++};
  return {};
}

Result<void> ParallelChats::step() {
  const std::vector<RequestEvent> events = m_engine->step();
  if (m_engine->device_failure()) return *m_engine->device_failure();
  for (const RequestEvent& event : events) {
    const auto running = m_running.find(event.id);
    if (running == m_running.end()) continue;
    take_tokens(running->second, event);
    if (!event.finish) continue;
    if (*event.finish != FinishReason::kLength) {
      const std::string why =
          event.error.message.empty() ? "the KV cache is full." : event.error.message;
      return Error{ErrorCode::kOutOfMemory,
                   "A chat ended early: " + why +
                       " Ask for fewer tokens with --persona-tokens, --turns, --user-tokens or "
                       "--generate-tokens."};
    }
    end_turn(running->second);
    m_running.erase(running);
  }
  record_pool();
  return {};
}

void ParallelChats::take_tokens(Turn& turn, const RequestEvent& event) {
  std::vector<TokenId>& tokens = m_chats[turn.chat].tokens;
  tokens.insert(tokens.end(), event.tokens.begin(), event.tokens.end());
  const bool is_first = turn.token_ms.empty() && !event.tokens.empty();
  turn.token_ms.insert(turn.token_ms.end(), event.tokens.size(), elapsed_ms());
  turn.usage = event.usage;
  if (!is_first || turn.chat != 0 || turn.number != 0) return;
  for (size_t i = 1; i < m_chats.size(); ++i) m_chats[i].due = Clock::now() + from_ms(think_ms());
}

void ParallelChats::end_turn(const Turn& turn) {
  Chat& chat = m_chats[turn.chat];
  if (chat.turns_begun < m_options.turns) chat.due = Clock::now() + from_ms(think_ms());
  m_ended.push_back(turn);
}

void ParallelChats::record_pool() {
  const EngineStats stats = m_engine->stats();
  if (stats.running < kWasteSequences) return;
  m_waste_sum += stats.kv_waste;
  m_waste_max = std::max(m_waste_max, stats.kv_waste);
  ++m_num_steps;
  if (stats.used_blocks <= m_most_used_blocks) return;
  m_most_used_blocks = stats.used_blocks;
  m_most_alone_blocks = 0;
  for (const auto& [id, turn] : m_running) {
    m_most_alone_blocks += blocks_for(static_cast<int>(m_chats[turn.chat].tokens.size()));
  }
}

ParallelChats::Clock::time_point ParallelChats::next_due() const {
  return std::ranges::min(m_chats, {}, &Chat::due).due;
}

bool ParallelChats::is_over() const {
  return m_running.empty() && std::ranges::all_of(m_chats, [&](const Chat& chat) {
           return chat.turns_begun == m_options.turns;
         });
}

// Exponential pauses of at most three means. Not a std distribution, because its results differ
// between standard libraries.
double ParallelChats::think_ms() {
  const double uniform = (static_cast<double>(m_random() >> 8) + 1.0) / (1 << 24);
  return m_options.think_ms * std::min(3.0, -std::log(uniform));
}

double ParallelChats::elapsed_ms() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - m_begin).count();
}

ParallelChats::Tally ParallelChats::tally() const {
  Tally all;
  for (const Turn& turn : m_ended) {
    const RequestUsage& usage = turn.usage;
    if (turn.chat == 0 && turn.number == 0) {
      all.first_ttft_ms = usage.first_token_ms;
      all.first_disk_tokens = usage.disk_tokens;
    } else {
      (turn.number == 0 ? all.other_ttft_ms : all.later_ttft_ms).push_back(usage.first_token_ms);
    }
    for (size_t i = 1; i < turn.token_ms.size(); ++i) {
      all.itl_ms.push_back(turn.token_ms[i] - turn.token_ms[i - 1]);
    }
    all.prompted += usage.prompt_tokens;
    all.memory += usage.cached_tokens - usage.disk_tokens;
    all.disk += usage.disk_tokens;
    all.output += usage.output_tokens;
    all.preemptions += usage.preemptions;
  }
  return all;
}

nlohmann::ordered_json ParallelChats::report() const {
  const Tally all = tally();
  const double block_megabytes = static_cast<double>(m_engine->stats().bytes_per_block) / 1e6;
  const auto prompted = static_cast<double>(std::max<int64_t>(1, all.prompted));
  const auto output = static_cast<double>(all.output);
  const auto of_pool = [&](double value) {
    return m_num_steps > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  return {{"chats", m_options.num_chats},
          {"persona_tokens", m_options.persona_tokens},
          {"turns", m_options.turns},
          {"user_tokens", m_options.user_tokens},
          {"generate_tokens", m_options.generate_tokens},
          {"think_ms", m_options.think_ms},
          {"ttft_first_ms", all.first_ttft_ms},
          {"ttft_first_disk_tokens", all.first_disk_tokens},
          {"ttft_others_ms", percentiles(all.other_ttft_ms)},
          {"ttft_later_turns_ms", percentiles(all.later_ttft_ms)},
          {"itl_ms", percentiles(all.itl_ms)},
          {"output_tokens", all.output},
          {"total_ms", m_total_ms},
          {"tokens_per_s", 1000.0 * output / m_total_ms},
          {"busy_tokens_per_s", 1000.0 * output / m_busy_ms},
          {"prompt_tokens", all.prompted},
          {"memory_hit_rate", static_cast<double>(all.memory) / prompted},
          {"disk_hit_rate", static_cast<double>(all.disk) / prompted},
          {"computed_prompt_tokens", all.prompted - all.memory - all.disk},
          {"preemptions", all.preemptions},
          {"kv_waste", of_pool(m_waste_max)},
          {"kv_waste_mean", of_pool(m_waste_sum / std::max(1, m_num_steps))},
          {"kv_megabytes", of_pool(m_most_used_blocks * block_megabytes)},
          {"kv_megabytes_unshared", of_pool(m_most_alone_blocks * block_megabytes)},
          {"states", states_json(m_engine->stats())}};
}

}  // namespace quire
