#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <vector>

#include "app/cli/bench_report.h"

namespace quire {

/// Prompts of random tokens, the same for each call with the same seed. Special tokens are left
/// out: a template would not put them there.
class RandomPrompts {
 public:
  RandomPrompts(const Tokenizer& tokenizer, uint32_t seed)
      : m_tokenizer(&tokenizer), m_random(seed) {}

  std::vector<TokenId> make(int count) {
    std::vector<TokenId> ids;
    while (static_cast<int>(ids.size()) < count) {
      // Not a std distribution: its results differ between standard libraries.
      const auto id =
          static_cast<TokenId>(m_random() % static_cast<uint32_t>(m_tokenizer->vocab_size()));
      if (!m_tokenizer->is_special(id)) ids.push_back(id);
    }
    return ids;
  }

 private:
  const Tokenizer* m_tokenizer;
  std::mt19937 m_random;
};

/// Requests of random tokens, alike in length and all sent at once.
struct EqualRequests {
  int prompt_tokens = 512;
  int generate_tokens = 128;
  int parallel = 1;
  int shared_prefix = 0;  ///< Tokens with which all prompts begin alike.
};

/// Answers them greedily; another seed gives other prompts, so that no run finds the last one's
/// blocks. Errors: kInvalidArgument (a request failed, or the memory was full).
Result<BenchRun> run_equal_requests(Llm& llm, const EqualRequests& requests, uint32_t seed,
                                    ClockMs clock = wall_ms);

/// One small run first, so that memory is touched and threads are awake.
Result<void> warm_up(Llm& llm);

/// That a sequence of so many tokens fits. `options` are those that would ask for less of a
/// `sequence`.
Result<void> check_context(int64_t tokens, Llm& llm, const std::string& sequence,
                           const std::string& options);

/// The names of what measure_as_peers can measure.
std::vector<std::string> peer_measures();

/// What `./dev bench peers` also measures of other programs, by the same definitions
/// (docs/benchmarks.md): for each name its tokens per second by that clock, `repeat` times, after a
/// run that does not count. Errors: kContextOverflow, kInvalidArgument (a request failed).
Result<nlohmann::ordered_json> measure_as_peers(Llm& llm, const std::vector<std::string>& names,
                                                int repeat, ClockMs clock);

}  // namespace quire
