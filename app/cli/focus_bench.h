#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/equal_requests.h"
#include "engine/llm.h"

namespace quire {

struct FocusBenchOptions {
  int num_others = 64;  ///< Requests of low priority.
  int prompt_tokens = 128;
  int generate_tokens = 128;
  int repeat = 3;
};

/// Measures a focused chat alone and beside requests of low priority, by turns: its TTFT, its ITL,
/// and the tokens per second of the others with and without it. Each of the others that ends is
/// followed by another one, so that prompts are read meanwhile.
/// Thread: one at a time. The Llm outlives it.
class FocusBench {
 public:
  FocusBench(Llm& llm, const FocusBenchOptions& options);

  /// Errors: kContextOverflow; kInvalidArgument (a request was refused or failed).
  Result<nlohmann::ordered_json> measure();

 private:
  /// What was measured of the focused chat in one run.
  struct Chat {
    double ttft_ms = 0.0;
    std::vector<double> itl_ms;
    double others_tokens_per_s = 0.0;  ///< While it decoded.
  };
  Result<Chat> run_focused();
  Result<double> run_others();
  Result<void> step();
  Result<void> submit_other();
  Result<void> cancel_others();
  Request request(int priority);

  Engine* m_engine;
  FocusBenchOptions m_options;
  RandomPrompts m_prompts;
  std::set<RequestId> m_others;
  RequestId m_focused = 0;         ///< 0: none.
  std::vector<double> m_token_ms;  ///< When the focused chat's tokens came.
  int64_t m_other_tokens = 0;      ///< Of all.
};

/// A report of FocusBench, with model and device_description, as text.
std::string focus_text(const nlohmann::ordered_json& report);

}  // namespace quire
