#include "tests/bench/gpu/targets.h"

#include <cstdio>
#include <optional>

namespace quire::bench {
namespace {

struct Target {
  const char* text;
  const char* figure;
  const char* key;
  double bound;
  bool is_most = false;  ///< The figure is to be under the bound, not over it.
};

constexpr Target kTargets[] = {
    {"decode, one chat, 8B, bf16: 85 % of copy", "8b bf16 decode, 1 chat", "of copy", 0.85},
    {"decode, one chat, 8B, 4-bit: 70 % of copy", "8b q4_k decode, 1 chat", "of copy", 0.70},
    {"64 chats, shared prefix, bf16: 20 times one", "8b bf16 decode, 64 chats, shared prefix",
     "times one chat", 20.0},
    {"64 chats, shared prefix, 4-bit: 20 times one", "8b q4_k decode, 64 chats, shared prefix",
     "times one chat", 20.0},
    {"prefill 4,096, 8B, bf16: 60 % of matrix", "8b bf16 prefill 4096", "of matrix", 0.60},
    {"attention, 8k, batch 32, f16: 85 % of copy", "attention f16 32 chats of 8192", "of copy",
     0.85},
    {"attention, 8k, batch 32, bf16: 85 % of copy", "attention bf16 32 chats of 8192", "of copy",
     0.85},
    {"attention, 8k, batch 32, f8: 85 % of copy", "attention f8_e4m3 32 chats of 8192", "of copy",
     0.85},
    {"attention, 8k, batch 32, i8: 85 % of copy", "attention i8 32 chats of 8192", "of copy", 0.85},
    {"one chat: 2 times transformers", "against transformers: 8b bf16 decode, 1 chat", "times",
     2.0},
    {"64 chats: 10 times transformers",
     "against transformers: 8b bf16 decode, 64 chats, shared prefix", "times", 10.0},
    {"launch gaps in decode, bf16: under 3 %", "8b bf16 decode, 1 chat: launch gaps", "launch gaps",
     0.03, true},
    {"launch gaps in decode, 4-bit: under 3 %", "8b q4_k decode, 1 chat: launch gaps",
     "launch gaps", 0.03, true},
};

TargetResult check(const Report& report, const Target& target) {
  const std::optional<double> value = report.value(target.figure, target.key);
  if (!value) {
    const std::string reason = report.why_not_run(target.figure);
    return {target.text, "not run", reason.empty() ? "not measured in this run" : reason};
  }
  const bool is_reached = target.is_most ? *value < target.bound : *value >= target.bound;
  return {target.text, is_reached ? "reached" : "missed", format_value(target.key, *value)};
}

}  // namespace

std::vector<TargetResult> check_targets(const Report& report) {
  std::vector<TargetResult> results;
  for (const Target& target : kTargets) results.push_back(check(report, target));
  return results;
}

void print_targets(const std::vector<TargetResult>& results) {
  std::printf("\ntargets:\n");
  for (const TargetResult& result : results) {
    std::printf("  %-46s %-8s %s\n", result.text.c_str(), result.state.c_str(),
                result.detail.c_str());
  }
}

}  // namespace quire::bench
