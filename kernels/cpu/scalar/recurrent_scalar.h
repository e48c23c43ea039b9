#pragma once

#include "kernels/cpu/cpu_kernels.h"

/// The scalar variant's operations of recurrent layers.
namespace quire::cpu::scalar {

void multiply_row(float* x, const float* y, int64_t n);
void gated_norm_row(float* x, const float* gate, const float* weight, int64_t n, float eps,
                    bool gate_first);
void causal_conv(const ConvChannels& t);
void gated_delta(const GatedDeltaHead& t);
void mamba2_scan(const Mamba2Head& t);

}  // namespace quire::cpu::scalar
