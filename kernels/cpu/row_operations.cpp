// rms_norm, add_rms_norm, add, scale, soft_cap, glu and gather_rows: a row in, a row out.

#include <cstring>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/parallel_rows.h"

namespace quire::cpu {

void CpuBackend::rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) {
  CHECK(out.rank() == 2 || out.rank() == 3);
  const int64_t num_rows = out.dim(0);
  const int64_t num_heads = out.rank() == 3 ? out.dim(1) : 1;
  const int64_t n = out.dim(out.rank() - 1);
  if (out.rank() == 3) {
    CHECK(has_shape(out, DType::kF32, {num_rows, num_heads, n}));
    CHECK(has_shape(x, DType::kF32, {num_rows, num_heads, n}));
  } else {
    CHECK(has_shape(out, DType::kF32, {num_rows, n}) && has_shape(x, DType::kF32, {num_rows, n}));
  }
  CHECK(has_shape(weight, DType::kF32, {n}));
  float* const to = out.as<float>();
  const auto* const from = x.as<float>();
  const auto* const factors = weight.as<float>();
  for_each_row(num_rows, num_heads * n, [&](int64_t row) {
    for (int64_t h = 0; h < num_heads; ++h) {
      m_kernels.rms_norm_row(to + row * out.row_stride() + h * n,
                             from + row * x.row_stride() + h * n, factors, n, eps);
    }
  });
}

void CpuBackend::add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                              ConstTensorView weight, float eps) {
  CHECK(out.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(has_shape(out, DType::kF32, {num_rows, n}));
  CHECK(has_shape(residual, DType::kF32, {num_rows, n}));
  CHECK(has_shape(delta, DType::kF32, {num_rows, n}) && has_shape(weight, DType::kF32, {n}));
  float* const to = out.as<float>();
  float* const sum = residual.as<float>();
  const auto* const from = delta.as<float>();
  const auto* const factors = weight.as<float>();
  for_each_row(num_rows, n, [&](int64_t row) {
    float* const x = sum + row * residual.row_stride();
    m_kernels.add_row(x, from + row * delta.row_stride(), n);
    m_kernels.rms_norm_row(to + row * out.row_stride(), x, factors, n, eps);
  });
}

void CpuBackend::add(TensorView x, ConstTensorView y) {
  CHECK(x.rank() == 2);
  const int64_t num_rows = x.dim(0);
  const int64_t n = x.dim(1);
  CHECK(has_shape(x, DType::kF32, {num_rows, n}) && has_shape(y, DType::kF32, {num_rows, n}));
  float* const to = x.as<float>();
  const auto* const from = y.as<float>();
  for_each_row(num_rows, n, [&](int64_t row) {
    m_kernels.add_row(to + row * x.row_stride(), from + row * y.row_stride(), n);
  });
}

void CpuBackend::scale(TensorView x, float factor) {
  CHECK(x.rank() == 2);
  const int64_t n = x.dim(1);
  CHECK(has_shape(x, DType::kF32, {x.dim(0), n}));
  float* const values = x.as<float>();
  for_each_row(x.dim(0), n, [&](int64_t row) {
    float* const at = values + row * x.row_stride();
    m_kernels.widen_row(at, at, DType::kF32, n, factor);
  });
}

void CpuBackend::soft_cap(TensorView x, float cap) {
  CHECK(x.rank() == 2 && cap > 0.0f);
  const int64_t n = x.dim(1);
  CHECK(has_shape(x, DType::kF32, {x.dim(0), n}));
  float* const values = x.as<float>();
  for_each_row(x.dim(0), n,
               [&](int64_t row) { m_kernels.soft_cap_row(values + row * x.row_stride(), n, cap); });
}

void CpuBackend::glu(TensorView out, ConstTensorView gate_up, const GluParams& params) {
  CHECK(out.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(has_shape(out, DType::kF32, {num_rows, n}));
  CHECK(has_shape(gate_up, DType::kF32, {num_rows, 2 * n}));
  float* const outputs = out.as<float>();
  const auto* const from = gate_up.as<float>();
  for_each_row(num_rows, n, [&](int64_t row) {
    const float* const gate = from + row * gate_up.row_stride();
    float* const to = outputs + row * out.row_stride();
    switch (params.kind) {
      case GluParams::Kind::kSilu:
        return m_kernels.silu_glu_row(to, gate, gate + n, n);
      case GluParams::Kind::kGeluTanh:
        return m_kernels.gelu_glu_row(to, gate, gate + n, n);
      case GluParams::Kind::kClampedSwiglu:
        return m_kernels.clamped_swiglu_row(to, gate, gate + n, n, params.limit, params.alpha);
    }
  });
}

void CpuBackend::gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) {
  CHECK(out.rank() == 2 && x.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  const int64_t num_sources = x.dim(0);
  CHECK(has_shape(out, DType::kF32, {num_rows, n}));
  CHECK(has_shape(x, DType::kF32, {num_sources, n}) && has_shape(rows, DType::kI32, {num_rows}));
  const auto* const source = rows.as<int32_t>();
  float* const to = out.as<float>();
  const auto* const from = x.as<float>();
  for_each_row(num_rows, n, [&](int64_t row) {
    CHECK(source[row] >= 0 && source[row] < num_sources);
    std::memcpy(to + row * out.row_stride(), from + source[row] * x.row_stride(),
                static_cast<size_t>(n) * sizeof(float));
  });
}

}  // namespace quire::cpu
