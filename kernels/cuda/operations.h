#pragma once

#include <span>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

/// The operations of Backend with the same names; views are in device memory.
namespace quire::cuda {

class CublasGemm;
class HostStaging;

void rms_norm(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView weight,
              float eps);
void layer_norm(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView weight,
                ConstTensorView bias, float eps);
void add_rms_norm(CommandQueue& queue, TensorView out, TensorView residual, ConstTensorView delta,
                  ConstTensorView weight, float eps);
void add(CommandQueue& queue, TensorView x, ConstTensorView y);
void scale(CommandQueue& queue, TensorView x, float factor);
void soft_cap(CommandQueue& queue, TensorView x, float cap);
void glu(CommandQueue& queue, TensorView out, ConstTensorView gate_up, const GluParams& params);
void activate(CommandQueue& queue, TensorView x, const Activation& f);
void gate(CommandQueue& queue, TensorView x, ConstTensorView gate);
void gather_rows(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView rows);
void rope_cos_sin(CommandQueue& queue, TensorView cos_sin, ConstTensorView positions,
                  ConstTensorView inv_freq, float scale);
void rope_and_store(CommandQueue& queue, TensorView q, TensorView k, ConstTensorView v,
                    ConstTensorView cos_sin, ConstTensorView slot_mapping, KvLayerView kv);
void position_scales(CommandQueue& queue, TensorView out, ConstTensorView positions,
                     const PositionScale& params);

void multiply(CommandQueue& queue, TensorView x, ConstTensorView y);
void gaussian_top_k(CommandQueue& queue, TensorView x, float multiplier);
void match_magnitude(CommandQueue& queue, TensorView x, ConstTensorView y);
void gated_norm(CommandQueue& queue, TensorView x, ConstTensorView gate, ConstTensorView weight,
                const GatedNormParams& params);
void causal_conv(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView weight,
                 ConstTensorView bias, TensorView states, const StateBatch& batch, bool silu);
void gated_delta(CommandQueue& queue, TensorView out, ConstTensorView q, ConstTensorView k,
                 ConstTensorView v, ConstTensorView alpha, ConstTensorView beta, TensorView states,
                 const StateBatch& batch, const GatedDeltaParams& params);
void mamba2_scan(CommandQueue& queue, TensorView out, ConstTensorView x, ConstTensorView b,
                 ConstTensorView c, ConstTensorView dt, TensorView states, const StateBatch& batch,
                 const Mamba2Params& params);

void route_experts(CommandQueue& queue, TensorView expert_ids, TensorView expert_weights,
                   ConstTensorView router_logits, const RouteParams& params);
void mix_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                 ConstTensorView expert_weights);

/// The order of a sum does not depend on the number of rows (packed_weight.h), except in GEMMs that
/// `fast` computes if it is not null (cublas_gemm.h).
void linear(CommandQueue& queue, TensorView out, ConstTensorView x, const LinearWeight& weight,
            ConstTensorView bias, CublasGemm* fast = nullptr);
/// Submits a GEMM that stores the GLU itself. Returns false and submits nothing where no kernel
/// does so for these shapes and formats (docs/cuda.md).
bool linear_glu(CommandQueue& queue, TensorView out, TensorView gate_up, ConstTensorView x,
                const GluWeight& gate_and_up);
/// As Backend::input_dtype.
DType input_dtype(const CommandQueue& queue, const LinearWeight& weight);
void linear_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> experts, ConstTensorView biases,
                    ConstTensorView expert_ids);
void linear_heads(CommandQueue& queue, TensorView out, ConstTensorView x,
                  std::span<const LinearWeight* const> heads);

void embed(CommandQueue& queue, TensorView out, const LinearWeight& table, ConstTensorView ids,
           float scale);
void sample(CommandQueue& queue, HostStaging& staging, TensorView token_ids, TensorView logits,
            const SampleBatch& batch);

}  // namespace quire::cuda
