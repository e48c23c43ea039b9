#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/dtype.h"

namespace quire::test {

/// Floats as blocks of a GGUF type, for tests that need a model in it. The scales of each block are
/// searched for, so that the mean square error is small; nothing is known of which inputs matter
/// more. dtype: kF32, kQ4_0, kQ4_K, kQ5_0 or kQ8_0; x: whole blocks, finite.
std::vector<std::byte> requantize(DType dtype, std::span<const float> x);

}  // namespace quire::test
