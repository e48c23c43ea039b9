#include "tests/bench/gpu/timing.h"

#include <algorithm>

namespace quire::bench {
namespace {

/// No two measurements share a captured step.
uint64_t next_key() {
  static uint64_t key = 0;
  return ++key;
}

/// Calls that are over at once are repeated within a step until it takes this long (as far as 32
/// times), so that launching the step itself does not count.
constexpr double kStepSeconds = 2e-4;

Result<double> seconds_of(Backend& backend, int times, const std::function<void()>& submit) {
  const double begin = now_seconds();
  for (int i = 0; i < times; ++i) submit();
  if (auto done = backend.synchronize(); !done) return done.error();
  return now_seconds() - begin;
}

int times_within(double budget_seconds, double seconds, double most) {
  return static_cast<int>(std::clamp(budget_seconds / seconds, 1.0, most));
}

}  // namespace

Result<double> seconds_per_call(Backend& backend, const TimedCalls& calls) {
  int repeats = 1;
  const auto all = [&] {
    for (int i = 0; i < repeats * calls.num_calls; ++i) calls.call(i % calls.num_calls);
  };
  // The first run finds its memory and loads its kernels, the second says how many fit.
  if (auto first = seconds_of(backend, 1, all); !first) return first;
  const auto trial = seconds_of(backend, 1, all);
  if (!trial) return trial;
  const bool is_captured = calls.is_step && backend.captures_graphs();
  if (is_captured) repeats = times_within(kStepSeconds, *trial, 32.0);
  const uint64_t key = next_key();
  const auto submit = [&] { calls.is_step ? backend.launch_graph(key, all) : all(); };
  if (is_captured) {
    // A step is run under its key before it is captured.
    if (auto captured = seconds_of(backend, 2, submit); !captured) return captured;
  }
  const int times = times_within(calls.budget_seconds, *trial * repeats, 2000.0);
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    const auto seconds = seconds_of(backend, times, submit);
    if (!seconds) return seconds;
    best = std::min(best, *seconds);
  }
  return best / times / repeats / calls.num_calls;
}

}  // namespace quire::bench
