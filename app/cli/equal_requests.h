#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <vector>

#include "app/cli/bench_report.h"

namespace quire {

/// Prompts of random tokens, the same for each call with the same seed. They hold no special
/// tokens, which only templates write.
class RandomPrompts {
 public:
  RandomPrompts(const Tokenizer& tokenizer, uint32_t seed)
      : m_tokenizer(&tokenizer), m_random(seed) {}

  std::vector<TokenId> make(int count) {
    std::vector<TokenId> ids;
    while (static_cast<int>(ids.size()) < count) {
      // Not a std distribution, because its results differ between standard libraries.
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

/// Requests of random tokens, of equal length and all submitted at once.
struct EqualRequests {
  int prompt_tokens = 512;
  int generate_tokens = 128;
  int parallel = 1;
  int shared_prefix = 0;  ///< Tokens with which all prompts begin alike.
};

/// Answers the requests greedily; another seed gives other prompts, so that no run finds the blocks
/// of the last one. Errors: kInvalidArgument (a request failed, or the memory was full).
Result<BenchRun> run_equal_requests(Llm& llm, const EqualRequests& requests, uint32_t seed,
                                    ClockMs clock = wall_ms);

/// Makes one small run, which touches the memory and wakes the threads.
Result<void> warm_up(Llm& llm);

/// Checks that a sequence of so many tokens fits the context. `sequence` and `options` are for the
/// error: what needs the tokens, and the options that reduce their number. Errors:
/// kContextOverflow.
Result<void> check_context(int64_t tokens, Llm& llm, const std::string& sequence,
                           const std::string& options);

/// The names of the measurements of measure_as_peers.
std::vector<std::string> peer_measures();

/// Measures what `./dev bench peers` measures of other programs, by the same definitions
/// (docs/benchmarks.md): for each name the tokens per second by that clock, `repeat` times, after a
/// run that does not count. Errors: kContextOverflow, kInvalidArgument (a request failed).
Result<nlohmann::ordered_json> measure_as_peers(Llm& llm, const std::vector<std::string>& names,
                                                int repeat, ClockMs clock);

}  // namespace quire
