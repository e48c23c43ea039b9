#include "tests/bench/gpu/targets.h"

#include <cstdio>
#include <optional>
#include <string_view>

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

constexpr std::string_view kAgainst = "against transformers: ";

bool is_comparison(const Target& target) {
  return std::string_view(target.figure).starts_with(kAgainst);
}

/// Why the report has nothing to say of it.
std::string reason_of(const Target& target, const Options& options) {
  if (options.is_tiny) return "--tiny measures other shapes";
  if (is_comparison(target)) {
    return options.against_path.empty() ? "needs --against"
                                        : options.against_path + " or this run has no such figure";
  }
  if (!options.only.empty()) return "--only " + options.only + " leaves it out";
  return options.is_quick ? "--quick leaves it out" : "not measured in this run";
}

TargetResult without_value(const Report& report, const Target& target, const Options& options) {
  std::string_view name = target.figure;
  if (is_comparison(target)) name.remove_prefix(kAgainst.size());
  const Figure* figure = report.without_values(std::string(name));
  // Launch gaps are not even tried for a step that was not run: "step: launch gaps".
  const std::string_view step = name.substr(0, name.find(": "));
  if (figure == nullptr) figure = report.without_values(std::string(step));
  if (figure == nullptr) figure = report.without_values(kEverything);
  if (figure == nullptr) return {target.text, "not run", reason_of(target, options)};
  return {target.text, figure->has_failed ? "failed" : "not run", figure->reason};
}

TargetResult check(const Report& report, const Target& target, const Options& options) {
  const std::optional<double> value = report.value(target.figure, target.key);
  if (!value) return without_value(report, target, options);
  const bool is_reached = target.is_most ? *value < target.bound : *value >= target.bound;
  return {target.text, is_reached ? "reached" : "missed", format_value(target.key, *value)};
}

}  // namespace

std::vector<TargetResult> check_targets(const Report& report, const Options& options) {
  std::vector<TargetResult> results;
  for (const Target& target : kTargets) results.push_back(check(report, target, options));
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
