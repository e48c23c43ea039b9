#pragma once

// Recurrent layers' operations, templated on the vector; included only by the variants' sources.
// Lanes are columns, never rows, and a row's arithmetic is the same in any block of rows.

#include <cmath>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/math_simd.h"
#include "kernels/cpu/simd/rows_simd.h"

namespace quire::cpu {
namespace {

inline float softplus(float x) {
  return x > 20.0f ? x : log1pf(expf(x));
}

template <class V>
void multiply_row(float* x, const float* y, int64_t n) {
  for_each_vector<V>(n, [&](int64_t i, int count) {
    V::store_n(x + i, V::mul(V::load_n(x + i, count), V::load_n(y + i, count)), count);
  });
}

/// x *= silu(gate).
template <class V>
inline void multiply_silu(float* x, const float* gate, int64_t n) {
  for_each_vector<V>(n, [&](int64_t i, int count) {
    const typename V::F g = V::load_n(gate + i, count);
    V::store_n(x + i, gated<V>(g, g, V::load_n(x + i, count)), count);
  });
}

template <class V>
void gated_norm_row(float* x, const float* gate, const float* weight, int64_t n, float eps,
                    bool gate_first) {
  if (gate_first) multiply_silu<V>(x, gate, n);
  rms_norm_row<V>(x, x, weight, n, eps);
  if (!gate_first) multiply_silu<V>(x, gate, n);
}

// Causal convolution -----------------------------------------------------------------------------

using ConvRows = float[kMaxConvWidth][kConvChannels];

/// out = f(bias + sum of weights[k] inputs[k], k ascending), for a row's channels.
template <class V>
inline void conv_row(const ConvChannels& t, float* out, const ConvRows& weights,
                     const float* const* inputs) {
  using F = typename V::F;
  for_each_vector<V>(t.num_channels, [&](int64_t i, int count) {
    F sum = t.bias != nullptr ? V::load_n(t.bias + i, count) : V::zero();
    for (int64_t k = 0; k < t.num_inputs; ++k) {
      sum = V::fma(V::load(weights[k] + i), V::load_n(inputs[k] + i, count), sum);
    }
    V::store_n(out + i, t.silu ? gated<V>(sum, sum, V::set1(1.0f)) : sum, count);
  });
}

template <class V>
inline void conv_sequence(const ConvChannels& t, const StateRows& rows, const ConvRows& weights) {
  const int64_t history = t.num_inputs - 1;
  const auto bytes = static_cast<size_t>(t.num_channels) * sizeof(float);
  // A copy of the state that it begins with: its slot may be written before it was read.
  alignas(64) ConvRows first;
  for (int64_t i = 0; i < history; ++i) {
    if (rows.in < 0) {
      __builtin_memset(first[i], 0, bytes);
    } else {
      __builtin_memcpy(first[i], t.states + rows.in * t.slot_stride + i * t.input_stride, bytes);
    }
  }
  const auto input = [&](int64_t row) -> const float* {
    return row >= rows.begin ? t.x + row * t.x_stride : first[history + row - rows.begin];
  };
  const float* inputs[kMaxConvWidth];
  int64_t segment = 0;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    for (int64_t k = 0; k <= history; ++k) inputs[k] = input(row - history + k);
    conv_row<V>(t, t.out + row * t.out_stride, weights, inputs);
    if (row + 1 < rows.row_end[segment]) continue;
    const int64_t slot = rows.out[segment++];
    for (int64_t i = 0; i < history && slot >= 0; ++i) {
      __builtin_memcpy(t.states + slot * t.slot_stride + i * t.input_stride, inputs[i + 1], bytes);
    }
  }
}

template <class V>
void causal_conv(const ConvChannels& t) {
  alignas(64) ConvRows weights;
  for (int64_t k = 0; k < t.num_inputs; ++k) {
    for (int64_t c = 0; c < t.num_channels; ++c) weights[k][c] = t.weight[c * t.num_inputs + k];
    for (int64_t c = t.num_channels; c < kConvChannels; ++c) weights[k][c] = 0.0f;
  }
  for (int64_t s = 0; s < t.num_sequences; ++s) conv_sequence<V>(t, t.sequences[s], weights);
}

// Gated delta rule -------------------------------------------------------------------------------

/// Columns of a tile of a state, which is dense in scratch memory: (Dk, kDeltaColumns).
template <class V>
inline constexpr int64_t kDeltaColumns = 2 * V::kWidth;

/// The columns [0, count) of a tile from a state, or zeros; those past count are zeros. ahead: the
/// tile that is loaded next, whose rows the processor's own prefetching does not see coming.
template <class V>
inline void load_tile(float* tile, const float* state, const float* ahead, int64_t stride,
                      int64_t key_dim, int count) {
  for (int64_t i = 0; i < key_dim; ++i) {
    for (int j = 0; j < kDeltaColumns<V>; j += V::kWidth) {
      const int n = count - j > 0 ? count - j : 0;
      if (state != nullptr) __builtin_prefetch(ahead + i * stride + j);
      V::store(tile + i * kDeltaColumns<V> + j,
               state == nullptr || n == 0 ? V::zero() : V::load_n(state + i * stride + j, n));
    }
  }
}

template <class V>
inline void store_tile(float* state, const float* tile, int64_t stride, int64_t key_dim,
                       int count) {
  for (int64_t i = 0; i < key_dim; ++i) {
    for (int j = 0; j < count; j += V::kWidth) {
      V::store_n(state + i * stride + j, V::load(tile + i * kDeltaColumns<V> + j), count - j);
    }
  }
}

/// q or k of a row: x / sqrt(sum x^2 + eps) * factor.
template <class V>
inline void normalize(float* out, const float* x, int64_t n, float eps, float factor) {
  const typename V::F scale = V::set1(factor / sqrtf(sum_of_squares<V>(x, n) + eps));
  for_each_vector<V>(n, [&](int64_t i, int count) {
    V::store_n(out + i, V::mul(V::load_n(x + i, count), scale), count);
  });
}

/// Calls fn(i, i % 4) for i in [0, n), i % 4 being a constant after unrolling: four sums each, as
/// in sum_of.
template <class Fn>
inline void for_each_of_4(int64_t n, Fn fn) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    fn(i, 0);
    fn(i + 1, 1);
    fn(i + 2, 2);
    fn(i + 3, 3);
  }
  for (int part = 0; i < n; ++i, ++part) fn(i, part);
}

template <class V>
inline typename V::F total_of(const typename V::F (&sums)[4]) {
  return V::add(V::add(sums[0], sums[1]), V::add(sums[2], sums[3]));
}

/// Where a row's state of kDeltaColumns columns is read and written, which may be the same: a tile
/// or a slot. The distances are between key dimensions.
struct DeltaPlace {
  const float* from;
  int64_t from_stride;
  float* to;
  int64_t to_stride;
};

/// One row. q, k: normed; kAhead: prefetches the next columns of `from`.
template <class V, bool kAhead>
inline void delta_row(const DeltaPlace& place, int64_t key_dim, const float* q, const float* k,
                      float decay, float beta, const float* v, float* out, int count) {
  using F = typename V::F;
  constexpr int kWidth = V::kWidth;
  const F zero = V::zero();
  const F factor = V::set1(decay);
  F low[4] = {zero, zero, zero, zero};
  F high[4] = {zero, zero, zero, zero};
  for_each_of_4(key_dim, [&](int64_t i, int part) {
    const F key = V::set1(k[i]);
    const float* const at = place.from + i * place.from_stride;
    if (kAhead) __builtin_prefetch(at + 2 * kWidth);
    if (kAhead) __builtin_prefetch(at + 3 * kWidth);
    low[part] = V::fma(V::load(at), key, low[part]);
    high[part] = V::fma(V::load(at + kWidth), key, high[part]);
  });
  const int num_low = count < kWidth ? count : kWidth;
  const int num_high = count - num_low;
  const F strength = V::set1(beta);
  const F low_value = V::fnma(factor, total_of<V>(low), V::load_n(v, num_low));
  const F high_value =
      V::fnma(factor, total_of<V>(high), num_high > 0 ? V::load_n(v + kWidth, num_high) : zero);
  const F low_delta = V::mul(strength, low_value);
  const F high_delta = V::mul(strength, high_value);
  for (int part = 0; part < 4; ++part) low[part] = high[part] = zero;
  for_each_of_4(key_dim, [&](int64_t i, int part) {
    const F key = V::set1(k[i]);
    const F query = V::set1(q[i]);
    const float* const at = place.from + i * place.from_stride;
    float* const to = place.to + i * place.to_stride;
    const F s = V::fma(key, low_delta, V::mul(V::load(at), factor));
    const F t = V::fma(key, high_delta, V::mul(V::load(at + kWidth), factor));
    V::store(to, s);
    V::store(to + kWidth, t);
    low[part] = V::fma(s, query, low[part]);
    high[part] = V::fma(t, query, high[part]);
  });
  V::store_n(out, total_of<V>(low), num_low);
  if (num_high > 0) V::store_n(out + kWidth, total_of<V>(high), num_high);
}

/// The factors of consecutive rows, kDeltaRows at most, in scratch memory.
struct DeltaFactors {
  float* q;  ///< (rows, Dk), normed; k alike.
  float* k;
  float decay[kDeltaRows];
  float beta[kDeltaRows];
};

template <class V>
inline void compute_factors(DeltaFactors& f, const GatedDeltaHead& t, int64_t begin, int64_t end) {
  const float scale = 1.0f / sqrtf(static_cast<float>(t.key_dim));
  for (int64_t row = begin; row < end; ++row) {
    const int64_t r = row - begin;
    normalize<V>(f.q + r * t.key_dim, t.q + row * t.q_stride, t.key_dim, t.eps, scale);
    normalize<V>(f.k + r * t.key_dim, t.k + row * t.k_stride, t.key_dim, t.eps, 1.0f);
    f.decay[r] = expf(t.a * softplus(t.alpha[row * t.alpha_stride] + t.dt_bias));
    f.beta[r] = 1.0f / (1.0f + expf(-t.beta[row * t.beta_stride]));
  }
}

inline int columns_from(const GatedDeltaHead& t, int64_t column, int64_t most) {
  const int64_t left = t.num_columns - column;
  return static_cast<int>(left < most ? left : most);
}

/// The tile that begins at `column` of the state that the sequence begins with.
template <class V>
inline void load_columns(const GatedDeltaHead& t, float* tile, int64_t column) {
  const float* const state =
      t.rows.in < 0 ? nullptr : t.states + t.rows.in * t.slot_stride + column;
  const int count = columns_from(t, column, kDeltaColumns<V>);
  // After the last columns the next head's first ones follow.
  const bool is_last = column + count == t.num_columns;
  const int64_t distance = is_last ? t.key_dim * t.value_dim - column : count;
  load_tile<V>(tile, state, state == nullptr ? nullptr : state + distance, t.value_dim, t.key_dim,
               count);
}

/// The rows [begin, end) of a tile that begins at `column`; returns the segment of the next row.
template <class V>
inline int64_t delta_rows(const GatedDeltaHead& t, const DeltaFactors& f, float* tile,
                          int64_t column, int64_t begin, int64_t end, int64_t segment) {
  const int count = columns_from(t, column, kDeltaColumns<V>);
  for (int64_t row = begin; row < end; ++row) {
    const int64_t r = row - begin;
    delta_row<V, false>({tile, kDeltaColumns<V>, tile, kDeltaColumns<V>}, t.key_dim,
                        f.q + r * t.key_dim, f.k + r * t.key_dim, f.decay[r], f.beta[r],
                        t.v + row * t.v_stride + column, t.out + row * t.out_stride + column,
                        count);
    if (row + 1 < t.rows.row_end[segment]) continue;
    const int64_t slot = t.rows.out[segment++];
    if (slot >= 0) {
      store_tile<V>(t.states + slot * t.slot_stride + column, tile, t.value_dim, t.key_dim, count);
    }
  }
  return segment;
}

/// A sequence's only row from slot to slot, without a copy in between.
template <class V>
inline void delta_step(const GatedDeltaHead& t, const DeltaFactors& f, int64_t column) {
  const int64_t row = t.rows.begin;
  const float* const from = t.states + t.rows.in * t.slot_stride + column;
  float* const to = t.states + t.rows.out[0] * t.slot_stride + column;
  delta_row<V, true>({from, t.value_dim, to, t.value_dim}, t.key_dim, f.q, f.k, f.decay[0],
                     f.beta[0], t.v + row * t.v_stride + column,
                     t.out + row * t.out_stride + column, kDeltaColumns<V>);
}

template <class V>
void gated_delta(const GatedDeltaHead& t) {
  DeltaFactors factors;
  factors.q = t.scratch;
  factors.k = factors.q + kDeltaRows * t.key_dim;
  float* const tiles = factors.k + kDeltaRows * t.key_dim;
  // The tile of a few rows is used by all columns in turn, so that it stays in the cache.
  const bool has_one_block = t.rows.end - t.rows.begin <= kDeltaRows;
  const bool is_step = t.rows.end - t.rows.begin == 1 && t.rows.in >= 0 && t.rows.out[0] >= 0;
  int64_t segment = 0;
  for (int64_t begin = t.rows.begin; begin < t.rows.end; begin += kDeltaRows) {
    const int64_t end = begin + kDeltaRows < t.rows.end ? begin + kDeltaRows : t.rows.end;
    compute_factors<V>(factors, t, begin, end);
    int64_t next = segment;
    for (int64_t column = 0; column < t.num_columns; column += kDeltaColumns<V>) {
      if (is_step && columns_from(t, column, kDeltaColumns<V>) == kDeltaColumns<V>) {
        delta_step<V>(t, factors, column);
        continue;
      }
      float* const tile = tiles + (has_one_block ? 0 : column * t.key_dim);
      if (begin == t.rows.begin) load_columns<V>(t, tile, column);
      next = delta_rows<V>(t, factors, tile, column, begin, end, segment);
    }
    segment = next;
  }
}

// Mamba 2 ----------------------------------------------------------------------------------------

/// Rows of a Mamba 2 head, kDeltaRows at most, that end no segment but with the last.
struct ScanRows {
  const float* b;  ///< Of the first row; c alike.
  const float* c;
  int64_t count;
  float dt[kDeltaRows];
  float decay[kDeltaRows];
};

/// Vectors of a state's row that stay in registers, for two dimensions at once.
template <class V>
inline constexpr int kScanVecs = V::kWidth == 8 ? 4 : 8;

/// kVecs vectors of the state's rows of kDims dimensions, or the n floats of one; sums: (rows,
/// dimensions) vectors.
template <class V, int kVecs, int kDims>
inline void scan_vectors(const Mamba2Head& t, const ScanRows& rows, const float* from, float* to,
                         const float (&steps)[kDeltaRows][2], float* sums, int64_t offset, int n) {
  using F = typename V::F;
  const int size = kVecs > 1 ? V::kWidth : n;
  F state[kDims][kVecs];
  for (int p = 0; p < kDims; ++p) {
    for (int vec = 0; vec < kVecs; ++vec) {
      const int64_t at = p * t.state_size + offset + vec * V::kWidth;
      state[p][vec] = from == nullptr ? V::zero() : V::load_n(from + at, size);
    }
  }
  for (int64_t r = 0; r < rows.count; ++r) {
    const F decay = V::set1(rows.decay[r]);
    F sum[kDims];
    for (int p = 0; p < kDims; ++p) sum[p] = V::load(sums + (r * 2 + p) * V::kWidth);
    for (int vec = 0; vec < kVecs; ++vec) {
      const int64_t at = offset + vec * V::kWidth;
      const F b = V::load_n(rows.b + r * t.b_stride + at, size);
      const F c = V::load_n(rows.c + r * t.c_stride + at, size);
      for (int p = 0; p < kDims; ++p) {
        state[p][vec] = V::fma(V::set1(steps[r][p]), b, V::mul(state[p][vec], decay));
        sum[p] = V::fma(state[p][vec], c, sum[p]);
      }
    }
    for (int p = 0; p < kDims; ++p) V::store(sums + (r * 2 + p) * V::kWidth, sum[p]);
  }
  for (int p = 0; p < kDims; ++p) {
    for (int vec = 0; vec < kVecs; ++vec) {
      const int64_t at = p * t.state_size + offset + vec * V::kWidth;
      V::store_n(to + at, state[p][vec], size);
    }
  }
}

/// The dimensions [dim, dim + kDims): their state from `from`, or zeros, to `to`; x and out: of the
/// first row.
template <class V, int kDims>
inline void scan_dims(const Mamba2Head& t, const ScanRows& rows, const float* from, float* to,
                      int64_t dim, const float* x, float* out) {
  constexpr int kVecs = kScanVecs<V>;
  alignas(64) float sums[kDeltaRows * 2 * V::kWidth] = {};
  float steps[kDeltaRows][2];
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int p = 0; p < kDims; ++p) steps[r][p] = rows.dt[r] * x[r * t.x_stride + dim + p];
  }
  const float* const source = from == nullptr ? nullptr : from + dim * t.state_size;
  float* const target = to + dim * t.state_size;
  int64_t i = 0;
  for (; i + kVecs * V::kWidth <= t.state_size; i += kVecs * V::kWidth) {
    scan_vectors<V, kVecs, kDims>(t, rows, source, target, steps, sums, i, kVecs * V::kWidth);
  }
  for (; i < t.state_size; i += V::kWidth) {
    const int64_t left = t.state_size - i;
    const int n = static_cast<int>(left < V::kWidth ? left : V::kWidth);
    scan_vectors<V, 1, kDims>(t, rows, source, target, steps, sums, i, n);
  }
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int p = 0; p < kDims; ++p) {
      const float sum = V::reduce_add(V::load(sums + (r * 2 + p) * V::kWidth));
      out[r * t.out_stride + dim + p] = sum + t.d * x[r * t.x_stride + dim + p];
    }
  }
}

inline ScanRows scan_rows(const Mamba2Head& t, int64_t begin, int64_t end) {
  ScanRows rows;
  rows.b = t.b + begin * t.b_stride;
  rows.c = t.c + begin * t.c_stride;
  rows.count = end - begin;
  for (int64_t r = 0; r < rows.count; ++r) {
    const float dt = softplus(t.dt[(begin + r) * t.dt_stride] + t.dt_bias);
    rows.dt[r] = dt < t.dt_min ? t.dt_min : dt > t.dt_max ? t.dt_max : dt;
    rows.decay[r] = expf(rows.dt[r] * t.a);
  }
  return rows;
}

template <class V>
void mamba2_scan(const Mamba2Head& t) {
  const float* from = t.rows.in < 0 ? nullptr : t.states + t.rows.in * t.slot_stride;
  int64_t segment = 0;
  for (int64_t begin = t.rows.begin, end = begin; begin < t.rows.end; begin = end) {
    end = t.rows.row_end[segment];
    const bool ends_segment = end <= begin + kDeltaRows;
    if (!ends_segment) end = begin + kDeltaRows;
    const int64_t slot = ends_segment ? t.rows.out[segment++] : -1;
    float* const to = slot < 0 ? t.scratch : t.states + slot * t.slot_stride;
    const ScanRows rows = scan_rows(t, begin, end);
    const float* const x = t.x + begin * t.x_stride;
    float* const out = t.out + begin * t.out_stride;
    int64_t dim = 0;
    for (; dim + 2 <= t.num_dims; dim += 2) scan_dims<V, 2>(t, rows, from, to, dim, x, out);
    if (dim < t.num_dims) scan_dims<V, 1>(t, rows, from, to, dim, x, out);
    from = to;
  }
}

}  // namespace
}  // namespace quire::cpu
