#pragma once

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

/// The operations of Backend of the same names that work row by row; the views are in device
/// memory.
namespace quire::cuda {

/// Whether the library has code that the current device can run: the error of asking for a kernel.
cudaError_t check_kernels();

void rms_norm(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView weight,
              float eps);
void add_rms_norm(CommandQueue& queue, TensorView out, TensorView residual, ConstTensorView delta,
                  ConstTensorView weight, float eps);
void add(CommandQueue& queue, TensorView x, ConstTensorView y);
void scale(CommandQueue& queue, TensorView x, float factor);
void soft_cap(CommandQueue& queue, TensorView x, float cap);
void glu(CommandQueue& queue, TensorView out, ConstTensorView gate_up, const GluParams& params);
void gather_rows(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView rows);
void rope_cos_sin(CommandQueue& queue, TensorView cos_sin, ConstTensorView positions,
                  ConstTensorView inv_freq, float scale);
void rope_and_store(CommandQueue& queue, TensorView q, TensorView k, ConstTensorView v,
                    ConstTensorView cos_sin, ConstTensorView slot_mapping, KvLayerView kv);

void route_experts(CommandQueue& queue, TensorView expert_ids, TensorView expert_weights,
                   ConstTensorView router_logits, bool renormalize);
void mix_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                 ConstTensorView expert_weights);

}  // namespace quire::cuda
