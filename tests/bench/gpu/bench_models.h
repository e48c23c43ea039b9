#pragma once

#include "tests/bench/gpu/kernel_benches.h"

namespace quire::bench {

/// Whole models of random weights, and the profile of the largest one's steps.
void bench_models(const Bench& bench);

/// Prefills of 16-bit weights by a backend that is not batch-invariant.
void bench_models_not_invariant(const Bench& bench);

}  // namespace quire::bench
