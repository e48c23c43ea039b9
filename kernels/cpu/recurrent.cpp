// causal_conv, gated_delta, mamba2_scan, gated_norm and multiply.

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/scratch_sizes.h"
#include "kernels/state_shapes.h"

namespace quire::cpu {
namespace {

static_assert(kMaxConvWidth == kMaxConvInputs);

std::vector<StateRows> rows_of(const StateBatch& batch, int64_t num_rows, int64_t num_slots) {
  check_state_batch(batch);
  const int64_t S = batch.in.dim(0);
  const auto* const start = batch.query_start.as<int32_t>();
  const auto* const segments = batch.segment_start.as<int32_t>();
  const auto* const row_end = batch.row_end.as<int32_t>();
  const auto* const out = batch.out.as<int32_t>();
  const auto* const in = batch.in.as<int32_t>();
  CHECK(start[0] == 0 && start[S] == num_rows);
  CHECK(segments[0] == 0 && segments[S] == batch.row_end.dim(0));
  std::vector<StateRows> sequences;
  for (int64_t s = 0; s < S; ++s) {
    CHECK(segments[s] < segments[s + 1] && row_end[segments[s + 1] - 1] == start[s + 1]);
    CHECK(in[s] >= -1 && in[s] < num_slots);
    for (int64_t g = segments[s]; g < segments[s + 1]; ++g) {
      CHECK(out[g] >= -1 && out[g] < num_slots);
      CHECK(row_end[g] > (g == segments[s] ? start[s] : row_end[g - 1]));
    }
    sequences.push_back({.begin = start[s],
                         .end = start[s + 1],
                         .row_end = row_end + segments[s],
                         .out = out + segments[s],
                         .in = in[s]});
  }
  return sequences;
}

/// Columns of one task: all of a head's, or parts if there are few heads for the threads.
int64_t columns_of_task(int64_t num_heads, int64_t num_columns, int num_threads) {
  constexpr int64_t kLeastColumns = 32;
  const int64_t wanted = (4 * num_threads + num_heads - 1) / num_heads;
  const int64_t columns = (num_columns + wanted - 1) / wanted;
  return std::max(kLeastColumns, (columns + kLeastColumns - 1) / kLeastColumns * kLeastColumns);
}

}  // namespace

void CpuBackend::multiply(TensorView x, ConstTensorView y) {
  const int64_t n = x.dim(1);
  const bool is_one = y.dim(1) == 1;
  CHECK(have_shape({x}, {x.dim(0), n}) && have_shape({y}, {x.dim(0), is_one ? 1 : n}));
  for_each_row(x.dim(0), n, [&](int64_t row) {
    float* const at = x.row<float>(row);
    const float* const factors = y.row<float>(row);
    if (is_one) return m_kernels.widen_row(at, at, DType::kF32, n, *factors);
    m_kernels.multiply_row(at, factors, n);
  });
}

void CpuBackend::gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                            const GatedNormParams& params) {
  const int64_t weight_stride = checked_gated_norm(x, gate, weight, params);
  const int64_t n = params.group_size;
  for_each_row(x.dim(0), x.dim(1), [&](int64_t row) {
    for (int64_t g = 0; g < x.dim(1) / n; ++g) {
      m_kernels.gated_norm_row(x.row<float>(row) + g * n, gate.row<float>(row) + g * n,
                               weight.as<float>() + g * weight_stride, n, params.eps,
                               params.gate_first);
    }
  });
}

void CpuBackend::causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight,
                             ConstTensorView bias, TensorView states, const StateBatch& batch,
                             bool silu) {
  check_causal_conv(out, x, weight, bias, states);
  const int64_t C = out.dim(1);
  const int64_t K = weight.dim(1);
  const std::vector<StateRows> sequences = rows_of(batch, out.dim(0), states.dim(0));
  const int64_t num_tasks = (C + kConvChannels - 1) / kConvChannels;
  m_pool.parallel_for(num_tasks, [&](int64_t task, int) {
    const int64_t first = task * kConvChannels;
    m_kernels.causal_conv({.sequences = sequences.data(),
                           .num_sequences = static_cast<int64_t>(sequences.size()),
                           .out = out.as<float>() + first,
                           .out_stride = out.row_stride(),
                           .x = x.as<float>() + first,
                           .x_stride = x.row_stride(),
                           .weight = weight.row<float>(first),
                           .bias = bias.empty() ? nullptr : bias.as<float>() + first,
                           .states = states.as<float>() + first,
                           .slot_stride = states.row_stride(),
                           .input_stride = C,
                           .num_channels = std::min(kConvChannels, C - first),
                           .num_inputs = K,
                           .silu = silu});
  });
}

void CpuBackend::gated_delta(TensorView out, ConstTensorView q, ConstTensorView k,
                             ConstTensorView v, ConstTensorView alpha, ConstTensorView beta,
                             TensorView states, const StateBatch& batch,
                             const GatedDeltaParams& params) {
  check_gated_delta(out, q, k, v, alpha, beta, states, params);
  const int64_t num_heads = out.dim(1);
  const int64_t num_key_heads = q.dim(1);
  const int64_t Dk = q.dim(2);
  const int64_t Dv = out.dim(2);
  const std::vector<StateRows> sequences = rows_of(batch, out.dim(0), states.dim(0));
  const int64_t num_tiles = static_cast<int64_t>(sequences.size()) * num_heads;
  const int64_t columns = columns_of_task(num_tiles, Dv, m_pool.num_threads());
  const int64_t parts = (Dv + columns - 1) / columns;
  m_pool.parallel_for(num_tiles * parts, [&](int64_t task, int thread) {
    const int64_t head = task / parts % num_heads;
    const int64_t key_head =
        params.tiled_heads ? head % num_key_heads : head / (num_heads / num_key_heads);
    const int64_t first = task % parts * columns;
    const int64_t column = head * Dv + first;
    m_kernels.gated_delta(
        {.rows = sequences[static_cast<size_t>(task / parts / num_heads)],
         .out = out.as<float>() + column,
         .out_stride = out.row_stride(),
         .v = v.as<float>() + column,
         .v_stride = v.row_stride(),
         .q = q.as<float>() + key_head * Dk,
         .q_stride = q.row_stride(),
         .k = k.as<float>() + key_head * Dk,
         .k_stride = k.row_stride(),
         .alpha = alpha.as<float>() + head,
         .alpha_stride = alpha.row_stride(),
         .beta = beta.as<float>() + head,
         .beta_stride = beta.row_stride(),
         .states = states.as<float>() + head * Dk * Dv + first,
         .slot_stride = states.row_stride(),
         .value_dim = Dv,
         .key_dim = Dk,
         .num_columns = std::min(columns, Dv - first),
         .a = params.a.as<float>()[head],
         .dt_bias = params.dt_bias.as<float>()[head],
         .eps = params.eps,
         .scratch = thread_scratch(thread, static_cast<size_t>(gated_delta_scratch(Dk, columns)))});
  });
}

void CpuBackend::mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b,
                             ConstTensorView c, ConstTensorView dt, TensorView states,
                             const StateBatch& batch, const Mamba2Params& params) {
  check_mamba2_scan(out, x, b, c, dt, states, params);
  const int64_t num_heads = out.dim(1);
  const int64_t heads_per_group = num_heads / b.dim(1);
  const int64_t P = out.dim(2);
  const int64_t N = b.dim(2);
  const std::vector<StateRows> sequences = rows_of(batch, out.dim(0), states.dim(0));
  const int64_t num_tiles = static_cast<int64_t>(sequences.size()) * num_heads;
  const int64_t dims = columns_of_task(num_tiles, P, m_pool.num_threads());
  const int64_t parts = (P + dims - 1) / dims;
  m_pool.parallel_for(num_tiles * parts, [&](int64_t task, int thread) {
    const int64_t head = task / parts % num_heads;
    const int64_t first = task % parts * dims;
    const int64_t column = head * P + first;
    m_kernels.mamba2_scan(
        {.rows = sequences[static_cast<size_t>(task / parts / num_heads)],
         .out = out.as<float>() + column,
         .out_stride = out.row_stride(),
         .x = x.as<float>() + column,
         .x_stride = x.row_stride(),
         .b = b.as<float>() + head / heads_per_group * N,
         .b_stride = b.row_stride(),
         .c = c.as<float>() + head / heads_per_group * N,
         .c_stride = c.row_stride(),
         .dt = dt.as<float>() + head,
         .dt_stride = dt.row_stride(),
         .states = states.as<float>() + column * N,
         .slot_stride = states.row_stride(),
         .num_dims = std::min(dims, P - first),
         .state_size = N,
         .a = params.a.as<float>()[head],
         .dt_bias = params.dt_bias.as<float>()[head],
         .d = params.d.as<float>()[head],
         .dt_min = params.dt_min,
         .dt_max = params.dt_max,
         .scratch = thread_scratch(thread, static_cast<size_t>(mamba2_scratch(dims, N)))});
  });
}

}  // namespace quire::cpu
