#pragma once

#include <cstdint>
#include <string>

#include "app/cli/bench_report.h"

namespace quire {

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

}  // namespace quire
