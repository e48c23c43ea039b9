#include <algorithm>

#include "kernels/cpu/attention_plan.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_checks.h"

namespace quire::cpu {
namespace {

static_assert(kPageKeys == kBlockSize);
static_assert(kKeyBlock % kPageKeys == 0);

/// Queries of a tile: enough to make widening a page cheap, few enough for the caches.
constexpr int64_t kTileQueries = 32;

/// Memory for the states of rows whose attention is cut, at most.
constexpr int64_t kMaxStateFloats = int64_t{16} << 20;

int64_t padded_head_dim(int64_t head_dim) {
  return (head_dim + kHeadPadding - 1) / kHeadPadding * kHeadPadding;
}

/// Floats that AttentionTile::scratch needs: for the vector variants' parts (AttentionScratch), or
/// the scalar one's scores of a whole context.
size_t attention_scratch_floats(int64_t num_queries, int64_t head_dim, int64_t max_context) {
  const int64_t dim = padded_head_dim(head_dim);
  const int64_t queries = (num_queries + kHeadPadding - 1) / kHeadPadding * kHeadPadding;
  const int64_t floats = kPageKeys * dim + queries * (3 * dim + kKeyBlock + 4);
  return static_cast<size_t>(std::max(floats, max_context));
}

}  // namespace

void CpuBackend::attention(TensorView out, ConstTensorView q, KvLayerView kv,
                           const AttentionBatch& batch, const AttentionParams& params) {
  CHECK(out.rank() == 3 && kv.keys.rank() == 4 && batch.block_tables.rank() == 2);
  const int64_t num_rows = out.dim(0);
  const int64_t num_heads = out.dim(1);
  const int64_t dim = out.dim(2);
  const int64_t num_blocks = kv.keys.dim(0);
  const int64_t num_kv_heads = kv.keys.dim(1);
  const int64_t num_sequences = batch.block_tables.dim(0);
  const int64_t max_blocks = batch.block_tables.dim(1);
  CHECK(has_shape(out, DType::kF32, {num_rows, num_heads, dim}));
  CHECK(has_shape(q, DType::kF32, {num_rows, num_heads, dim}));
  CHECK(has_float_shape(kv.keys, {num_blocks, num_kv_heads, kBlockSize, dim}));
  CHECK(has_shape(kv.values, kv.keys.dtype(), {num_blocks, num_kv_heads, kBlockSize, dim}));
  CHECK(has_shape(batch.query_start, DType::kI32, {num_sequences + 1}));
  CHECK(has_shape(batch.context_len, DType::kI32, {num_sequences}));
  CHECK(has_shape(batch.block_tables, DType::kI32, {num_sequences, max_blocks}));
  CHECK(num_kv_heads > 0 && num_heads % num_kv_heads == 0);
  CHECK(params.sliding_window >= 0 && params.soft_cap >= 0.0f);
  CHECK(params.sinks.empty() || has_shape(params.sinks, DType::kF32, {num_heads}));
  if (num_rows == 0) return;

  const auto* const query_start = batch.query_start.as<int32_t>();
  const auto* const context_len = batch.context_len.as<int32_t>();
  const auto* const block_tables = batch.block_tables.as<int32_t>();
  CHECK(query_start[0] == 0 && query_start[num_sequences] == num_rows);
  const int64_t max_context = *std::max_element(context_len, context_len + num_sequences);
  CHECK(max_context <= max_blocks * kBlockSize);

  const int64_t group = num_heads / num_kv_heads;
  const int64_t tile_rows = std::max<int64_t>(1, kTileQueries / group);
  const int64_t state_floats = group * (padded_head_dim(dim) + 2);
  const int64_t row_floats = num_kv_heads * state_floats;
  for (int64_t s = 0; s < num_sequences; ++s) {
    const int64_t rows = int64_t{query_start[s + 1]} - query_start[s];
    CHECK(rows >= 0 && context_len[s] >= rows);
  }
  const AttentionPlan plan = plan_attention(
      {.query_start = query_start,
       .context_len = context_len,
       .block_tables = block_tables,
       .table_stride = batch.block_tables.row_stride(),
       .num_sequences = num_sequences,
       .num_kv_heads = num_kv_heads,
       .tile_rows = tile_rows,
       .sliding_window = params.sliding_window,
       .num_threads = m_pool.num_threads(),
       .max_states = m_kernels.attention_fold == nullptr ? 0 : kMaxStateFloats / row_floats});
  const auto state_memory = static_cast<size_t>(plan.num_states * row_floats);
  if (m_attention_states.size() < state_memory) m_attention_states.resize(state_memory);
  const auto state = [&](int64_t index) {
    return index < 0 ? nullptr : m_attention_states.data() + index * row_floats;
  };

  const auto* const queries = q.as<float>();
  float* const outputs = out.as<float>();
  std::vector<AttentionRow> rows;
  rows.reserve(plan.rows.size());
  for (const PlannedRow& row : plan.rows) {
    rows.push_back({.q = queries + row.row * q.row_stride(),
                    .out = outputs + row.row * out.row_stride(),
                    .position = row.position,
                    .state = state(row.state),
                    .block_states = state(row.block_states)});
  }

  const size_t scratch_floats = attention_scratch_floats(tile_rows * group, dim, max_context);
  for (int thread = 0; thread < m_pool.num_threads(); ++thread) scratch(thread, scratch_floats);
  const float* const sinks = params.sinks.empty() ? nullptr : params.sinks.as<float>();
  const int64_t head_bytes = kBlockSize * dim * dtype_bytes(kv.keys.dtype());
  const auto* const keys = static_cast<const char*>(kv.keys.data());
  const auto* const values = static_cast<const char*>(kv.values.data());
  const auto make_tile = [&](const PlannedTile& tile, int64_t head, int thread) {
    return AttentionTile{
        .rows = rows.data() + tile.first_row,
        .num_rows = static_cast<int>(tile.num_rows),
        .group = static_cast<int>(group),
        .head_dim = static_cast<int>(dim),
        .padded_dim = static_cast<int>(padded_head_dim(dim)),
        .state_floats = state_floats,
        .head = head,
        .num_kv_heads = num_kv_heads,
        .key_begin = tile.key_begin,
        .key_end = tile.key_end,
        .begins = tile.begins,
        .ends = tile.ends,
        .first_block = tile.first_block,
        .keys = keys + head * head_bytes,
        .values = values + head * head_bytes,
        .dtype = kv.keys.dtype(),
        .page_stride = num_kv_heads * kBlockSize * dim,
        .block_table = block_tables + tile.sequence * batch.block_tables.row_stride(),
        .scale = params.scale,
        .soft_cap = params.soft_cap,
        .sliding_window = params.sliding_window,
        .sinks = sinks == nullptr ? nullptr : sinks + head * group,
        .scratch = scratch(thread, scratch_floats)};
  };
  for (const PlannedRound& round : plan.rounds) {
    const auto num_tasks = static_cast<int64_t>(round.tiles.size()) * num_kv_heads;
    m_pool.parallel_for(num_tasks, [&](int64_t task, int thread) {
      const PlannedTile& tile = round.tiles[static_cast<size_t>(task / num_kv_heads)];
      const auto kernel = tile.in_blocks ? m_kernels.attention_blocks : m_kernels.attention;
      kernel(make_tile(tile, task % num_kv_heads, thread));
    });
    for (const PlannedTile& fold : round.folds) {
      m_pool.parallel_for(fold.num_rows * num_kv_heads, [&](int64_t task, int thread) {
        PlannedTile row = fold;
        row.first_row += task / num_kv_heads;
        row.num_rows = 1;
        m_kernels.attention_fold(make_tile(row, task % num_kv_heads, thread));
      });
    }
  }
}

}  // namespace quire::cpu
