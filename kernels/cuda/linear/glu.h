#pragma once

#include "kernels/cuda/linear/out_rows.h"

/// GLU functions (GluParams), shared by the GLU kernel and by GEMMs that fuse it. Sums that nvcc
/// could contract are intrinsics, so that both give the same bits.
namespace quire::cuda {

/// The tanh approximation of gelu, as in kernels/cpu/cpu_kernels.h.
inline constexpr float kGeluLinear = 1.5957691216057308f;
inline constexpr float kGeluCubic = 0.07135481627f;

/// x times the sigmoid of `slope`.
__device__ __forceinline__ float gated(float x, float slope) {
  return x / __fadd_rn(1.0f, expf(-slope));
}

/// The slope for which gated(x, slope) is gelu(x). Rounded as on the CPU, because the exponential
/// amplifies the last bit of a large one.
__device__ __forceinline__ float gelu_slope(float x) {
  return x * __fadd_rn(kGeluLinear, __fmul_rn(kGeluCubic, x * x));
}

template <GluParams::Kind kKind>
struct GluFunction {
  float limit;
  float alpha;

  __device__ __forceinline__ float operator()(float g, float u) const {
    if constexpr (kKind == GluParams::Kind::kSilu) {
      return gated(g, g) * u;
    } else if constexpr (kKind == GluParams::Kind::kGeluTanh) {
      return gated(g, gelu_slope(g)) * u;
    } else {
      // Comparisons keep NaN; fminf and fmaxf would drop it.
      g = g > limit ? limit : g;
      u = u > limit ? limit : u < -limit ? -limit : u;
      return gated(g, alpha * g) * __fadd_rn(u, 1.0f);
    }
  }
};

/// g = glu(g, u), the inputs of a vector.
template <GluParams::Kind kKind>
__device__ __forceinline__ void apply_glu(float2 (&g)[4], const float2 (&u)[4],
                                          const GluFunction<kKind>& glu) {
#pragma unroll
  for (int i = 0; i < 4; ++i) g[i] = make_float2(glu(g[i].x, u[i].x), glu(g[i].y, u[i].y));
}
__device__ __forceinline__ void apply_glu(float2 (&g)[4], const float2 (&u)[4],
                                          const GluParams& params) {
  using Kind = GluParams::Kind;
  if (params.kind == Kind::kSilu) {
    apply_glu(g, u, GluFunction<Kind::kSilu>{});
  } else if (params.kind == Kind::kGeluTanh) {
    apply_glu(g, u, GluFunction<Kind::kGeluTanh>{});
  } else {
    apply_glu(g, u, GluFunction<Kind::kClampedSwiglu>{params.limit, params.alpha});
  }
}

}  // namespace quire::cuda
