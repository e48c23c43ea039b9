#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <vector>

#include "app/cli/equal_requests.h"
#include "engine/llm.h"

namespace quire {

struct ParallelChatsOptions {
  int num_chats = 4;
  int persona_tokens = 1000;
  int turns = 3;
  int user_tokens = 40;      ///< Tokens of each message.
  int generate_tokens = 64;  ///< Tokens of each answer.
  int think_ms = 500;        ///< Mean pause before the next message.
  int message_seed = 0;      ///< Seed of the messages; the persona does not depend on it.
};

/// The number of tokens of a chat at its end.
int64_t tokens_of_a_chat(const ParallelChatsOptions& options);

/// Simulates chats under one persona. The first chat begins; the others begin after its first
/// token. Each chat waits for its answer, pauses, and sends its next message. Messages and pauses
/// are the same for each run; time is real.
class ParallelChats {
 public:
  ParallelChats(Llm& llm, const ParallelChatsOptions& options);

  /// Runs all chats to their end. Errors: kContextOverflow, kInvalidArgument (a request was refused
  /// or failed).
  Result<void> play();
  /// Figures that were not measured are null, such as those of the other chats if there is only
  /// one.
  nlohmann::ordered_json report() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Chat {
    std::vector<TokenId> tokens;  ///< Prompted and generated so far.
    int turns_begun = 0;
    Clock::time_point due = Clock::time_point::max();  ///< Of the next message; max: none is due.
  };
  struct Turn {
    size_t chat = 0;
    int number = 0;  ///< From 0.
    RequestUsage usage;
    std::vector<double> token_ms;  ///< Since the play began.
  };

  Result<void> submit_due(Clock::time_point now);
  Result<void> submit(size_t index);
  Result<void> step();
  void take_tokens(Turn& turn, const RequestEvent& event);
  void end_turn(const Turn& turn);
  void record_pool();
  Clock::time_point next_due() const;
  bool is_over() const;
  /// The figures of all turns that ended.
  struct Tally {
    double first_ttft_ms = 0.0;
    int first_disk_tokens = 0;
    std::vector<double> other_ttft_ms, later_ttft_ms, itl_ms;
    int64_t prompted = 0, memory = 0, disk = 0, output = 0;
    int preemptions = 0;
  };
  Tally tally() const;
  double think_ms();
  double elapsed_ms() const;

  Engine* m_engine;
  ParallelChatsOptions m_options;
  RandomPrompts m_prompts;
  std::mt19937 m_random{7};
  std::vector<Chat> m_chats;
  std::map<RequestId, Turn> m_running;
  std::vector<Turn> m_ended;

  Clock::time_point m_begin;
  double m_total_ms = 0.0;
  double m_busy_ms = 0.0;  ///< The time in which the engine had work.
  double m_waste_sum = 0.0;
  double m_waste_max = 0.0;
  int m_num_steps = 0;
  int m_most_used_blocks = 0;
  int m_most_alone_blocks = 0;  ///< Blocks of the same sequences without sharing.
};

}  // namespace quire
