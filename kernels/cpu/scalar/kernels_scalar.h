#pragma once

#include "kernels/cpu/cpu_kernels.h"

/// The scalar variant: the plain statement of what every operation computes. It is the oracle of
/// the others, so reductions are in double except in linear, whose order is part of its contract.
namespace quire::cpu::scalar {

void linear_int8(const LinearInt8& args);
void quantize_row(Int8Chunk* out, int64_t stride, const float* x, int64_t n);
void attention(const AttentionTile& tile);

}  // namespace quire::cpu::scalar
