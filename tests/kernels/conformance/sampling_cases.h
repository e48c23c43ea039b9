#pragma once

#include "tests/kernels/conformance/conformance.h"

namespace quire::test {

/// sample, for backends that have it: the tokens of the engine's Sampler. Apart from
/// conformance_cases() because the engine is above the kernels.
void add_sampling_cases(std::vector<Case>& cases);

}  // namespace quire::test
