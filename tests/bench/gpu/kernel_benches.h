#pragma once

#include "kernels/backend.h"
#include "tests/bench/gpu/ceilings.h"
#include "tests/bench/gpu/options.h"
#include "tests/bench/gpu/report.h"

namespace quire::bench {

/// What every measurement works with.
struct Bench {
  Backend& backend;
  const Options& options;
  const Ceilings& ceilings;
  Report& report;

  /// Data that calls rotate over: larger than any GPU's L2 cache twice.
  int64_t cold_bytes() const { return options.is_tiny ? 1 : int64_t{256} << 20; }

  /// Of TimedCalls.
  double budget_seconds() const { return options.is_tiny ? 0.0 : options.is_quick ? 0.015 : 0.03; }
};

/// How many copies of that many bytes are cold_bytes, at most `most`.
int num_copies(const Bench& bench, double bytes, int most = 64);

/// Linear layers of the 8B shape: each format, few rows and many.
void bench_linear(const Bench& bench);
/// Only what BackendOptions::batch_invariant may change: 16-bit weights and many rows. `bench` has
/// a backend that is not batch-invariant.
void bench_linear_not_invariant(const Bench& bench);

/// Paged attention of the 8B shape: decoding behind 8k tokens, and prefills.
void bench_attention(const Bench& bench);

/// Norms, activations, rotation, embedding, sampling.
void bench_rows(const Bench& bench);

}  // namespace quire::bench
