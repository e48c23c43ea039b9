// rms_norm, layer_norm, add_rms_norm, add, scale, soft_cap, glu, activate, gate, gaussian_top_k,
// match_magnitude and gather_rows: a row in, a row out.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"

namespace quire::cpu {
namespace {

/// In double and in ascending order, so that all variants give the same bits.
double mean_of_squares(const float* x, int64_t n, double mean = 0.0) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum / static_cast<double>(n);
}

}  // namespace

void CpuBackend::rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = weight.dim(0);
  const int64_t num_heads = checked_norm_heads(out, x, weight);
  const auto* const factors = weight.as<float>();
  for_each_row(num_rows, num_heads * n, [&](int64_t row) {
    float* const to = out.row<float>(row);
    const float* const from = x.row<float>(row);
    for (int64_t h = 0; h < num_heads; ++h) {
      m_kernels.rms_norm_row(to + h * n, from + h * n, factors, n, eps);
    }
  });
}

void CpuBackend::layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight,
                            ConstTensorView bias, float eps) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = weight.dim(0);
  const int64_t num_heads = checked_norm_heads(out, x, weight);
  CHECK(bias.empty() || have_shape({bias}, {n}));
  const float* const addends = bias.empty() ? nullptr : bias.as<float>();
  for_each_row(num_rows, num_heads * n, [&](int64_t row) {
    for (int64_t h = 0; h < num_heads; ++h) {
      m_kernels.layer_norm_row(out.row<float>(row) + h * n, x.row<float>(row) + h * n,
                               weight.as<float>(), addends, n, eps);
    }
  });
}

void CpuBackend::add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                              ConstTensorView weight, float eps) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(have_shape({out, residual, delta}, {num_rows, n}) && have_shape({weight}, {n}));
  for_each_row(num_rows, n, [&](int64_t row) {
    float* const x = residual.row<float>(row);
    m_kernels.add_row(x, delta.row<float>(row), n);
    m_kernels.rms_norm_row(out.row<float>(row), x, weight.as<float>(), n, eps);
  });
}

void CpuBackend::add(TensorView x, ConstTensorView y) {
  const int64_t n = x.dim(1);
  CHECK(have_shape({x, y}, {x.dim(0), n}));
  for_each_row(x.dim(0), n,
               [&](int64_t row) { m_kernels.add_row(x.row<float>(row), y.row<float>(row), n); });
}

void CpuBackend::scale(TensorView x, float factor) {
  const int64_t n = x.dim(1);
  CHECK(have_shape({x}, {x.dim(0), n}));
  for_each_row(x.dim(0), n, [&](int64_t row) {
    float* const at = x.row<float>(row);
    m_kernels.widen_row(at, at, DType::kF32, n, factor);
  });
}

void CpuBackend::soft_cap(TensorView x, float cap) {
  const int64_t n = x.dim(1);
  CHECK(have_shape({x}, {x.dim(0), n}) && cap > 0.0f);
  for_each_row(x.dim(0), n,
               [&](int64_t row) { m_kernels.soft_cap_row(x.row<float>(row), n, cap); });
}

void CpuBackend::glu(TensorView out, ConstTensorView gate_up, const GluParams& params) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(have_shape({out}, {num_rows, n}) && have_shape({gate_up}, {num_rows, 2 * n}));
  for_each_row(num_rows, n, [&](int64_t row) {
    const float* const gate = gate_up.row<float>(row);
    float* const to = out.row<float>(row);
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

void CpuBackend::activate(TensorView x, const Activation& f) {
  const int64_t n = x.dim(1);
  CHECK(have_shape({x}, {x.dim(0), n}));
  for_each_row(x.dim(0), n, [&](int64_t row) {
    float* const at = x.row<float>(row);
    switch (f.kind) {
      case Activation::Kind::kRelu:
        return m_kernels.relu_row(at, n);
      case Activation::Kind::kSquaredRelu:
        return m_kernels.squared_relu_row(at, n);
      case Activation::Kind::kSilu:
        return m_kernels.silu_row(at, n);
      case Activation::Kind::kGelu:
        return m_kernels.gelu_row(at, n);
      case Activation::Kind::kGeluTanh:
        return m_kernels.gelu_tanh_row(at, n);
      case Activation::Kind::kXielu:
        return m_kernels.xielu_row(at, n, f.positive, f.negative, f.beta, f.eps);
    }
  });
}

void CpuBackend::gate(TensorView x, ConstTensorView gate) {
  const int64_t num_rows = x.dim(0);
  const int64_t n = x.dim(1);
  const bool is_one = gate.dim(1) == 1;
  CHECK(have_shape({x}, {num_rows, n}) && have_shape({gate}, {num_rows, is_one ? 1 : n}));
  for_each_row(num_rows, n, [&](int64_t row) {
    m_kernels.gate_row(x.row<float>(row), gate.row<float>(row), is_one ? 0 : 1, n);
  });
}

void CpuBackend::gaussian_top_k(TensorView x, float multiplier) {
  const int64_t n = x.dim(1);
  CHECK(have_shape({x}, {x.dim(0), n}));
  for_each_row(x.dim(0), n, [&](int64_t row) {
    float* const at = x.row<float>(row);
    double mean = 0.0;
    for (int64_t i = 0; i < n; ++i) mean += at[i];
    mean /= static_cast<double>(n);
    const auto threshold =
        static_cast<float>(mean + multiplier * std::sqrt(mean_of_squares(at, n, mean)));
    for (int64_t i = 0; i < n; ++i) {
      const float above = at[i] - threshold;
      at[i] = above < 0.0f ? 0.0f : above;  // NaN stays.
    }
  });
}

void CpuBackend::match_magnitude(TensorView x, ConstTensorView y) {
  constexpr double kLeastMeanOfSquares = 1e-5;
  const int64_t n = x.dim(1);
  CHECK(have_shape({x, y}, {x.dim(0), n}));
  for_each_row(x.dim(0), n, [&](int64_t row) {
    float* const at = x.row<float>(row);
    const double own = std::max(mean_of_squares(at, n), kLeastMeanOfSquares);
    const auto factor = static_cast<float>(std::sqrt(mean_of_squares(y.row<float>(row), n) / own));
    m_kernels.widen_row(at, at, DType::kF32, n, factor);
  });
}

void CpuBackend::gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) {
  const int64_t num_rows = out.dim(0);
  const int64_t n = out.dim(1);
  CHECK(have_shape({out}, {num_rows, n}) && have_shape({x}, {x.dim(0), n}));
  CHECK(has_shape(rows, DType::kI32, {num_rows}));
  for_each_row(num_rows, n, [&](int64_t row) {
    const int32_t source = rows.as<int32_t>()[row];
    CHECK(source >= 0 && source < x.dim(0));
    std::memcpy(out.row<float>(row), x.row<float>(source), static_cast<size_t>(n) * sizeof(float));
  });
}

}  // namespace quire::cpu
