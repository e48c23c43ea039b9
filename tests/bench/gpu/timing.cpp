#include "tests/bench/gpu/timing.h"

#include <algorithm>

namespace quire::bench {
namespace {

/// No two measurements share a captured step.
uint64_t next_key() {
  static uint64_t key = 0;
  return ++key;
}

}  // namespace

Result<double> seconds_per_call(Backend& backend, const TimedCalls& calls) {
  const uint64_t key = next_key();
  const std::function<void()> all = [&] {
    for (int i = 0; i < calls.num_calls; ++i) calls.call(i);
  };
  const auto submit = [&](int times) {
    const double begin = now_seconds();
    for (int i = 0; i < times; ++i) calls.is_step ? backend.submit_step(key, all) : all();
    return begin;
  };
  // The first run finds its memory, the second is captured, the third says how many fit.
  submit(2);
  if (auto done = backend.synchronize(); !done) return done.error();
  const double trial_begin = submit(1);
  if (auto done = backend.synchronize(); !done) return done.error();
  const double trial = std::max(now_seconds() - trial_begin, 1e-7);
  const int times = static_cast<int>(std::clamp(calls.budget_seconds / trial, 1.0, 2000.0));
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    const double begin = submit(times);
    if (auto done = backend.synchronize(); !done) return done.error();
    best = std::min(best, now_seconds() - begin);
  }
  return best / times / calls.num_calls;
}

}  // namespace quire::bench
