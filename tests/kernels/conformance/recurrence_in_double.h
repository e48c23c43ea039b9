#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace quire::test {

inline double silu(double x) {
  return x / (1.0 + std::exp(-x));
}

inline double softplus(double x) {
  return x > 20.0 ? x : std::log1p(std::exp(x));
}

/// For each sequence: its state of n numbers in double, beginning with slot in[s]; fn(row, state)
/// for its rows; the state after each segment to its slot.
template <class Fn>
void run_sequences(TensorView states, const StateBatch& batch, int64_t n, Fn fn) {
  const auto* const row_end = batch.row_end.as<int32_t>();
  for (int64_t s = 0; s < batch.in.dim(0); ++s) {
    std::vector<double> state(static_cast<size_t>(n));
    const int32_t in = batch.in.as<int32_t>()[s];
    if (in >= 0) std::copy_n(states.row<float>(in), n, state.begin());
    int32_t row = batch.query_start.as<int32_t>()[s];
    const int32_t last = batch.segment_start.as<int32_t>()[s + 1];
    for (int32_t g = batch.segment_start.as<int32_t>()[s]; g < last; ++g) {
      for (; row < row_end[g]; ++row) fn(row, state);
      const int32_t out = batch.out.as<int32_t>()[g];
      if (out < 0) continue;
      for (int64_t i = 0; i < n; ++i) {
        states.row<float>(out)[i] = static_cast<float>(state[static_cast<size_t>(i)]);
      }
    }
  }
}

/// x / sqrt(sum x^2 + eps) * factor.
inline std::vector<double> normalized(const float* x, int64_t n, double eps, double factor) {
  double squares = 0.0;
  for (int64_t i = 0; i < n; ++i) squares += double{x[i]} * x[i];
  std::vector<double> result(x, x + n);
  for (double& v : result) v *= factor / std::sqrt(squares + eps);
  return result;
}

/// One row and head of the gated delta rule; state: (Dk, Dv).
inline void delta_row(float* out, double* state, std::span<const double> q,
                      std::span<const double> k, const float* v, int64_t n, double decay,
                      double beta) {
  for (int64_t j = 0; j < n; ++j) {
    double memory = 0.0;
    for (size_t i = 0; i < k.size(); ++i) {
      state[i * static_cast<size_t>(n) + static_cast<size_t>(j)] *= decay;
      memory += state[i * static_cast<size_t>(n) + static_cast<size_t>(j)] * k[i];
    }
    double sum = 0.0;
    for (size_t i = 0; i < k.size(); ++i) {
      double& s = state[i * static_cast<size_t>(n) + static_cast<size_t>(j)];
      s += k[i] * beta * (v[j] - memory);
      sum += s * q[i];
    }
    out[j] = static_cast<float>(sum);
  }
}

}  // namespace quire::test
