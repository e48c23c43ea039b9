// The scalar variant's operations of recurrent layers: the definitions, row by row. Sums are
// double, states float.

#include "kernels/cpu/scalar/recurrent_scalar.h"

#include <algorithm>
#include <cmath>

namespace quire::cpu::scalar {
namespace {

float silu(float x) {
  return x / (1.0f + std::exp(-x));
}

float softplus(float x) {
  return x > 20.0f ? x : std::log1p(std::exp(x));
}

/// Copies a state of `rows` rows of n floats.
void copy_state(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows,
                int64_t n) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from + i * from_stride, n, to + i * to_stride);
}

void conv_sequence(const ConvChannels& t, const StateRows& rows) {
  const int64_t history = t.num_inputs - 1;
  float first[kMaxConvWidth][kConvChannels] = {};
  if (rows.in >= 0) {
    copy_state(first[0], kConvChannels, t.states + rows.in * t.slot_stride, t.input_stride, history,
               t.num_channels);
  }
  const auto input = [&](int64_t row) {
    return row >= rows.begin ? t.x + row * t.x_stride : first[history + row - rows.begin];
  };
  const int32_t* row_end = rows.row_end;
  const int32_t* slot = rows.out;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    for (int64_t c = 0; c < t.num_channels; ++c) {
      double sum = t.bias != nullptr ? t.bias[c] : 0.0;
      for (int64_t k = 0; k < t.num_inputs; ++k) {
        sum += double{t.weight[c * t.num_inputs + k]} * input(row - history + k)[c];
      }
      const auto result = static_cast<float>(sum);
      t.out[row * t.out_stride + c] = t.silu ? silu(result) : result;
    }
    if (row + 1 < *row_end) continue;
    for (int64_t i = 0; i < history && *slot >= 0; ++i) {
      std::copy_n(input(row + 1 - history + i), t.num_channels,
                  t.states + *slot * t.slot_stride + i * t.input_stride);
    }
    ++row_end;
    ++slot;
  }
}

/// x / sqrt(sum x^2 + eps) * factor.
void normalize(float* out, const float* x, int64_t n, float eps, double factor) {
  double squares = 0.0;
  for (int64_t i = 0; i < n; ++i) squares += double{x[i]} * x[i];
  const double scale = factor / std::sqrt(squares + eps);
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(x[i] * scale);
}

/// One row of a gated delta head: S (Dk, columns), normed q and k.
void delta_row(const GatedDeltaHead& t, int64_t row, float* state, const float* q, const float* k) {
  const int64_t n = t.num_columns;
  const float decay = std::exp(t.a * softplus(t.alpha[row * t.alpha_stride] + t.dt_bias));
  const float beta = 1.0f / (1.0f + std::exp(-t.beta[row * t.beta_stride]));
  for (int64_t j = 0; j < n; ++j) {
    double memory = 0.0;
    for (int64_t i = 0; i < t.key_dim; ++i) {
      state[i * n + j] *= decay;
      memory += double{state[i * n + j]} * k[i];
    }
    const double delta = beta * (t.v[row * t.v_stride + j] - memory);
    double sum = 0.0;
    for (int64_t i = 0; i < t.key_dim; ++i) {
      float& s = state[i * n + j];
      s = static_cast<float>(s + k[i] * delta);
      sum += double{s} * q[i];
    }
    t.out[row * t.out_stride + j] = static_cast<float>(sum);
  }
}

/// One row of a Mamba 2 head: S (dimensions, N).
void scan_row(const Mamba2Head& t, int64_t row, float* state) {
  const int64_t n = t.state_size;
  const float dt = std::clamp(softplus(t.dt[row * t.dt_stride] + t.dt_bias), t.dt_min, t.dt_max);
  const float decay = std::exp(dt * t.a);
  for (int64_t p = 0; p < t.num_dims; ++p) {
    const float x = t.x[row * t.x_stride + p];
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) {
      float& s = state[p * n + i];
      s = decay * s + dt * x * t.b[row * t.b_stride + i];
      sum += double{s} * t.c[row * t.c_stride + i];
    }
    t.out[row * t.out_stride + p] = static_cast<float>(sum + double{t.d} * x);
  }
}

/// Runs fn(row) for the rows, with the state (rows, n) that `state` holds between its slots.
template <class Fn>
void run_rows(const StateRows& rows, float* state, float* slots, int64_t slot_stride,
              int64_t num_rows, int64_t row_stride, int64_t n, Fn fn) {
  if (rows.in >= 0) {
    copy_state(state, n, slots + rows.in * slot_stride, row_stride, num_rows, n);
  } else {
    std::fill_n(state, num_rows * n, 0.0f);
  }
  const int32_t* row_end = rows.row_end;
  const int32_t* slot = rows.out;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    fn(row);
    if (row + 1 < *row_end) continue;
    if (*slot >= 0) {
      copy_state(slots + *slot * slot_stride, row_stride, state, n, num_rows, n);
    }
    ++row_end;
    ++slot;
  }
}

}  // namespace

void multiply_row(float* x, const float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] *= y[i];
}

void gated_norm_row(float* x, const float* gate, const float* weight, int64_t n, float eps,
                    bool gate_first) {
  double squares = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    if (gate_first) x[i] *= silu(gate[i]);
    squares += double{x[i]} * x[i];
  }
  const auto mean = static_cast<float>(squares / static_cast<double>(n));
  const float inverse = 1.0f / std::sqrt(mean + eps);
  for (int64_t i = 0; i < n; ++i) {
    const float normed = x[i] * inverse * weight[i];
    x[i] = gate_first ? normed : normed * silu(gate[i]);
  }
}

void causal_conv(const ConvChannels& t) {
  for (int64_t s = 0; s < t.num_sequences; ++s) conv_sequence(t, t.sequences[s]);
}

void gated_delta(const GatedDeltaHead& t) {
  float* const q = t.scratch;
  float* const k = q + t.key_dim;
  float* const state = k + t.key_dim;
  const double factor = 1.0 / std::sqrt(static_cast<double>(t.key_dim));
  run_rows(t.rows, state, t.states, t.slot_stride, t.key_dim, t.value_dim, t.num_columns,
           [&](int64_t row) {
             normalize(q, t.q + row * t.q_stride, t.key_dim, t.eps, factor);
             normalize(k, t.k + row * t.k_stride, t.key_dim, t.eps, 1.0);
             delta_row(t, row, state, q, k);
           });
}

void mamba2_scan(const Mamba2Head& t) {
  run_rows(t.rows, t.scratch, t.states, t.slot_stride, t.num_dims, t.state_size, t.state_size,
           [&](int64_t row) { scan_row(t, row, t.scratch); });
}

}  // namespace quire::cpu::scalar
