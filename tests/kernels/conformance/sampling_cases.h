#pragma once

#include "tests/kernels/conformance/conformance.h"

namespace quire::test {

/// sample: the tokens of the CPU. Apart from conformance_cases() because the parameters are the
/// engine's, which is above the kernels.
void add_sampling_cases(std::vector<Case>& cases);

}  // namespace quire::test
