#include <algorithm>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_checks.h"

namespace quire::cpu {
namespace {

static_assert(kPageKeys == kBlockSize);
static_assert(kKeyBlock % kPageKeys == 0);

/// Queries of a tile: enough to make widening a page cheap, few enough for the caches.
constexpr int64_t kTileQueries = 32;

/// Rows of one sequence; with a KV head it is a task.
struct RowTile {
  int64_t sequence;
  int64_t first_row;
  int64_t num_rows;
  int64_t first_position;
};

/// Cuts the batch into tiles. The longest rows of a sequence come first, which evens out the
/// threads at the end.
std::vector<RowTile> cut_into_tiles(const int32_t* query_start, const int32_t* context_len,
                                    int64_t num_sequences, int64_t max_rows) {
  std::vector<RowTile> tiles;
  for (int64_t s = 0; s < num_sequences; ++s) {
    const int64_t begin = query_start[s];
    const int64_t end = query_start[s + 1];
    const int64_t first_position = context_len[s] - (end - begin);
    CHECK(begin <= end && first_position >= 0);
    for (int64_t row_end = end; row_end > begin;) {
      const int64_t row = std::max(begin, row_end - max_rows);
      tiles.push_back({s, row, row_end - row, first_position + (row - begin)});
      row_end = row;
    }
  }
  return tiles;
}

/// Floats that AttentionTile::scratch needs: for the vector variants' parts (AttentionScratch), or
/// the scalar one's scores of a whole context.
size_t attention_scratch_floats(int64_t num_queries, int64_t head_dim, int64_t max_context) {
  const int64_t padded = (head_dim + kHeadPadding - 1) / kHeadPadding * kHeadPadding;
  const int64_t floats = kPageKeys * padded + num_queries * (2 * padded + kKeyBlock + 2);
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
  const std::vector<RowTile> tiles =
      cut_into_tiles(query_start, context_len, num_sequences, tile_rows);
  const size_t scratch_floats = attention_scratch_floats(tile_rows * group, dim, max_context);
  for (int thread = 0; thread < m_pool.num_threads(); ++thread) scratch(thread, scratch_floats);

  const auto* const queries = q.as<float>();
  float* const outputs = out.as<float>();
  const float* const sinks = params.sinks.empty() ? nullptr : params.sinks.as<float>();
  const int64_t head_bytes = kBlockSize * dim * dtype_bytes(kv.keys.dtype());
  const auto* const keys = static_cast<const char*>(kv.keys.data());
  const auto* const values = static_cast<const char*>(kv.values.data());
  const auto num_tasks = static_cast<int64_t>(tiles.size()) * num_kv_heads;
  m_pool.parallel_for(num_tasks, [&](int64_t task, int thread) {
    const RowTile& rows = tiles[static_cast<size_t>(task / num_kv_heads)];
    const int64_t head = task % num_kv_heads;
    const int64_t column = head * group * dim;
    m_kernels.attention(
        {.q = queries + rows.first_row * q.row_stride() + column,
         .q_stride = q.row_stride(),
         .out = outputs + rows.first_row * out.row_stride() + column,
         .out_stride = out.row_stride(),
         .num_rows = static_cast<int>(rows.num_rows),
         .group = static_cast<int>(group),
         .head_dim = static_cast<int>(dim),
         .first_position = rows.first_position,
         .keys = keys + head * head_bytes,
         .values = values + head * head_bytes,
         .dtype = kv.keys.dtype(),
         .page_stride = num_kv_heads * kBlockSize * dim,
         .block_table = block_tables + rows.sequence * batch.block_tables.row_stride(),
         .scale = params.scale,
         .soft_cap = params.soft_cap,
         .sliding_window = params.sliding_window,
         .sinks = sinks == nullptr ? nullptr : sinks + head * group,
         .scratch = scratch(thread, scratch_floats)});
  });
}

}  // namespace quire::cpu
