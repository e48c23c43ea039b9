#pragma once

#include "kernels/backend.h"

/// The checks of the shapes of recurrent layers' operations, which all backends share.
namespace quire {

inline void check_state_batch(const StateBatch& batch) {
  const int64_t S = batch.in.dim(0);
  const int64_t G = batch.row_end.dim(0);
  CHECK(S >= 1 && G >= S);
  CHECK(has_shape(batch.query_start, DType::kI32, {S + 1}) &&
        has_shape(batch.segment_start, DType::kI32, {S + 1}) &&
        has_shape(batch.row_end, DType::kI32, {G}) && has_shape(batch.out, DType::kI32, {G}) &&
        has_shape(batch.in, DType::kI32, {S}));
}

inline void check_causal_conv(const TensorView& out, const ConstTensorView& x,
                              const ConstTensorView& weight, const ConstTensorView& bias,
                              const TensorView& states) {
  const int64_t C = out.dim(1);
  const int64_t K = weight.dim(1);
  CHECK(K >= 1 && K <= kMaxConvInputs);
  CHECK(have_shape({out, x}, {out.dim(0), C}) && have_shape({weight}, {C, K}));
  CHECK(bias.empty() || have_shape({bias}, {C}));
  CHECK(have_shape({states}, {states.dim(0), K - 1, C}));
}

inline void check_gated_delta(const TensorView& out, const ConstTensorView& q,
                              const ConstTensorView& k, const ConstTensorView& v,
                              const ConstTensorView& alpha, const ConstTensorView& beta,
                              const TensorView& states, const GatedDeltaParams& params) {
  const int64_t T = out.dim(0);
  const int64_t Hv = out.dim(1);
  const int64_t Hk = q.dim(1);
  CHECK(Hk >= 1 && Hv % Hk == 0);
  CHECK(have_shape({out, v}, {T, Hv, out.dim(2)}) && out.row_stride() == Hv * out.dim(2));
  CHECK(have_shape({q, k}, {T, Hk, q.dim(2)}) && have_shape({alpha, beta}, {T, Hv}));
  CHECK(have_shape({states}, {states.dim(0), Hv, q.dim(2), out.dim(2)}));
  CHECK(have_shape({params.a, params.dt_bias}, {Hv}));
}

inline void check_mamba2_scan(const TensorView& out, const ConstTensorView& x,
                              const ConstTensorView& b, const ConstTensorView& c,
                              const ConstTensorView& dt, const TensorView& states,
                              const Mamba2Params& params) {
  const int64_t T = out.dim(0);
  const int64_t H = out.dim(1);
  const int64_t G = b.dim(1);
  CHECK(G >= 1 && H % G == 0);
  CHECK(have_shape({out, x}, {T, H, out.dim(2)}) && out.row_stride() == H * out.dim(2));
  CHECK(have_shape({b, c}, {T, G, b.dim(2)}) && have_shape({dt}, {T, H}));
  CHECK(have_shape({states}, {states.dim(0), H, out.dim(2), b.dim(2)}));
  CHECK(have_shape({params.a, params.dt_bias, params.d}, {H}));
}

/// Returns the distance between the weights of two groups: 0 if they share one.
inline int64_t checked_gated_norm(const TensorView& x, const ConstTensorView& gate,
                                  const ConstTensorView& weight, const GatedNormParams& params) {
  const int64_t C = x.dim(1);
  CHECK(params.group_size >= 1 && C % params.group_size == 0);
  CHECK(have_shape({x, gate}, {x.dim(0), C}));
  CHECK(have_shape({weight}, {C}) || have_shape({weight}, {params.group_size}));
  return weight.dim(0) == C ? params.group_size : 0;
}

}  // namespace quire
