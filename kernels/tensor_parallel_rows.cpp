// What each device of a group computes whole.

#include "kernels/parallel_views.h"

namespace quire {

void TensorParallelBackend::rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight,
                                     float eps) {
  on_each([&](Backend& device, OnDevice on) { device.rms_norm(on(out), on(x), on(weight), eps); });
}

void TensorParallelBackend::layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight,
                                       ConstTensorView bias, float eps) {
  on_each([&](Backend& device, OnDevice on) {
    device.layer_norm(on(out), on(x), on(weight), on(bias), eps);
  });
}

void TensorParallelBackend::add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                                         ConstTensorView weight, float eps) {
  on_each([&](Backend& device, OnDevice on) {
    device.add_rms_norm(on(out), on(residual), on(delta), on(weight), eps);
  });
}

void TensorParallelBackend::add(TensorView x, ConstTensorView y) {
  on_each([&](Backend& device, OnDevice on) { device.add(on(x), on(y)); });
}

void TensorParallelBackend::scale(TensorView x, float factor) {
  on_each([&](Backend& device, OnDevice on) { device.scale(on(x), factor); });
}

void TensorParallelBackend::soft_cap(TensorView x, float cap) {
  on_each([&](Backend& device, OnDevice on) { device.soft_cap(on(x), cap); });
}

void TensorParallelBackend::rope_cos_sin(TensorView cos_sin, ConstTensorView positions,
                                         ConstTensorView inv_freq, float scale) {
  on_each([&](Backend& device, OnDevice on) {
    device.rope_cos_sin(on(cos_sin), on(positions), on(inv_freq), scale);
  });
}

void TensorParallelBackend::position_scales(TensorView out, ConstTensorView positions,
                                            const PositionScale& params) {
  on_each([&](Backend& device, OnDevice on) {
    device.position_scales(on(out), on(positions), params);
  });
}

void TensorParallelBackend::begin_attention(const AttentionBatch& batch,
                                            const HostAttentionBatch& host) {
  on_each([&](Backend& device, OnDevice on) { device.begin_attention(on(batch), host); });
}

void TensorParallelBackend::activate(TensorView x, const Activation& f) {
  on_each([&](Backend& device, OnDevice on) { device.activate(on(x), f); });
}

void TensorParallelBackend::gate(TensorView x, ConstTensorView gate) {
  on_each([&](Backend& device, OnDevice on) { device.gate(on(x), on(gate)); });
}

void TensorParallelBackend::multiply(TensorView x, ConstTensorView y) {
  on_each([&](Backend& device, OnDevice on) { device.multiply(on(x), on(y)); });
}

void TensorParallelBackend::gaussian_top_k(TensorView x, float multiplier) {
  on_each([&](Backend& device, OnDevice on) { device.gaussian_top_k(on(x), multiplier); });
}

void TensorParallelBackend::match_magnitude(TensorView x, ConstTensorView y) {
  on_each([&](Backend& device, OnDevice on) { device.match_magnitude(on(x), on(y)); });
}

void TensorParallelBackend::gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                                       const GatedNormParams& params) {
  on_each([&](Backend& device, OnDevice on) {
    device.gated_norm(on(x), on(gate), on(weight), params);
  });
}

void TensorParallelBackend::causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight,
                                        ConstTensorView bias, TensorView states,
                                        const StateBatch& batch, bool silu) {
  on_each([&](Backend& device, OnDevice on) {
    device.causal_conv(on(out), on(x), on(weight), on(bias), on(states), on(batch), silu);
  });
}

void TensorParallelBackend::gated_delta(TensorView out, ConstTensorView q, ConstTensorView k,
                                        ConstTensorView v, ConstTensorView alpha,
                                        ConstTensorView beta, TensorView states,
                                        const StateBatch& batch, const GatedDeltaParams& params) {
  on_each([&](Backend& device, OnDevice on) {
    GatedDeltaParams own = params;
    own.a = on(params.a);
    own.dt_bias = on(params.dt_bias);
    device.gated_delta(on(out), on(q), on(k), on(v), on(alpha), on(beta), on(states), on(batch),
                       own);
  });
}

void TensorParallelBackend::mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b,
                                        ConstTensorView c, ConstTensorView dt, TensorView states,
                                        const StateBatch& batch, const Mamba2Params& params) {
  on_each([&](Backend& device, OnDevice on) {
    Mamba2Params own = params;
    own.a = on(params.a);
    own.dt_bias = on(params.dt_bias);
    own.d = on(params.d);
    device.mamba2_scan(on(out), on(x), on(b), on(c), on(dt), on(states), on(batch), own);
  });
}

void TensorParallelBackend::route_experts(TensorView expert_ids, TensorView expert_weights,
                                          ConstTensorView router_logits,
                                          const RouteParams& params) {
  on_each([&](Backend& device, OnDevice on) {
    RouteParams own = params;
    own.bias = on(params.bias);
    own.expert_scales = on(params.expert_scales);
    device.route_experts(on(expert_ids), on(expert_weights), on(router_logits), own);
  });
}

void TensorParallelBackend::mix_experts(TensorView out, ConstTensorView x,
                                        ConstTensorView expert_weights) {
  on_each([&](Backend& device, OnDevice on) {
    device.mix_experts(on(out), on(x), on(expert_weights));
  });
}

void TensorParallelBackend::gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) {
  on_each([&](Backend& device, OnDevice on) { device.gather_rows(on(out), on(x), on(rows)); });
}

void TensorParallelBackend::sample(TensorView token_ids, TensorView logits,
                                   const SampleBatch& batch) {
  on_each([&](Backend& device, OnDevice on) { device.sample(on(token_ids), on(logits), batch); });
}

}  // namespace quire
