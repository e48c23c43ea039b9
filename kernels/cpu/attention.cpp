#include <algorithm>

#include "kernels/base/shape_checks.h"
#include "kernels/cpu/attention_plan.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/scratch_sizes.h"

namespace quire::cpu {
namespace {

static_assert(kPageKeys == kBlockSize);
static_assert(kKeyBlock % kPageKeys == 0);

/// Tasks for each thread, to balance the load.
constexpr int64_t kTasksPerThread = 4;

/// KV heads of a tile that one thread computes, in one go.
struct AttentionTask {
  const PlannedTile* tile;
  int64_t first_head;
  int64_t num_heads;
};

/// One call of Backend::attention: checks and narrows its views, and creates its tasks.
class AttentionRun {
 public:
  AttentionRun(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
               const AttentionParams& params, bool computes_in_bf16)
      : m_out(out),
        m_q(q),
        m_kv(kv),
        m_tables(batch.block_tables),
        m_params(params),
        m_in_bf16(computes_in_bf16 && kv.keys.dtype() == DType::kBF16) {
    const int64_t num_kv_heads = kv.keys.dim(1);
    const int64_t key_dim = q.dim(2), value_dim = out.dim(2);
    const int64_t num_sequences = m_tables.dim(0);
    CHECK(have_shape({out}, {out.dim(0), out.dim(1), value_dim}));
    CHECK(have_shape({q}, {out.dim(0), out.dim(1), key_dim}));
    CHECK(kv.has_shape(num_kv_heads, key_dim, value_dim, true));
    CHECK(has_shape(batch.query_start, DType::kI32, {num_sequences + 1}));
    CHECK(has_shape(batch.context_len, DType::kI32, {num_sequences}));
    CHECK(has_shape(m_tables, DType::kI32, {num_sequences, m_tables.dim(1)}));
    CHECK(num_kv_heads > 0 && out.dim(1) % num_kv_heads == 0);
    CHECK(params.scale > 0.0f && params.soft_cap >= 0.0f);
    CHECK(params.sliding_window >= 0 && params.chunk_size >= 0);
    CHECK(params.sinks.empty() || have_shape({params.sinks}, {out.dim(1)}));
    m_sizes = AttentionSizes::of(out.dim(1), num_kv_heads, key_dim, value_dim);
    m_query_start = batch.query_start.as<int32_t>();
    m_context_len = batch.context_len.as<int32_t>();
    check_sequences();
  }

  const AttentionSizes& sizes() const { return m_sizes; }
  const AttentionPlan& plan() const { return m_plan; }
  size_t scratch_floats() const {
    return static_cast<size_t>(m_sizes.scratch_floats(m_max_context));
  }

  /// max_state_floats: 0 if contexts cannot be split.
  void make_plan(int num_threads, int64_t max_state_floats) {
    m_plan = plan_attention({.query_start = m_query_start,
                             .context_len = m_context_len,
                             .block_tables = m_tables.as<int32_t>(),
                             .table_stride = m_tables.row_stride(),
                             .num_sequences = m_tables.dim(0),
                             .num_kv_heads = m_sizes.num_kv_heads,
                             .tile_rows = tile_rows(num_threads),
                             .sliding_window = m_params.sliding_window,
                             .chunk_size = m_params.chunk_size,
                             .num_threads = num_threads,
                             .max_states = max_state_floats / m_sizes.row_state_floats()});
  }

  /// states: plan().num_states rows of sizes().row_state_floats() floats.
  void place_rows(float* states) {
    const auto state = [&](int64_t index) {
      return index < 0 ? nullptr : states + index * m_sizes.row_state_floats();
    };
    m_rows.reserve(m_plan.rows.size());
    for (const PlannedRow& row : m_plan.rows) {
      m_rows.push_back({.q = m_q.row<float>(row.row),
                        .out = m_out.row<float>(row.row),
                        .first_key = row.first_key,
                        .position = row.position,
                        .state = state(row.state),
                        .block_states = state(row.block_states)});
    }
  }

  /// Heads of few queries are computed together: the parts of a page that one head needs are too
  /// short to be read from memory at its full speed.
  std::vector<AttentionTask> tasks(const std::vector<PlannedTile>& tiles, int64_t num_threads,
                                   bool joins_heads) const {
    std::vector<AttentionTask> tasks;
    const int64_t heads = m_sizes.num_kv_heads;
    const auto num_tiles = static_cast<int64_t>(tiles.size());
    for (const PlannedTile& tile : tiles) {
      const bool joins =
          joins_heads && m_sizes.slices == 1 && tile.num_rows * m_sizes.group <= kFewQueries;
      const int64_t groups = joins ? std::clamp(ceil_div(num_threads, num_tiles),
                                                ceil_div(heads, int64_t{kMaxTileHeads}), heads)
                                   : heads;
      for (int64_t i = 0; i < groups; ++i) {
        const int64_t first = heads * i / groups;
        tasks.push_back({&tile, first, heads * (i + 1) / groups - first});
      }
    }
    return tasks;
  }

  AttentionTile tile(const PlannedTile& planned, int64_t head, int64_t num_heads,
                     float* scratch) const {
    const DType dtype = m_kv.keys.dtype();
    const int64_t page_heads = m_sizes.num_kv_heads / m_sizes.slices;
    const int64_t page_head = head / m_sizes.slices;
    const int64_t key_elements = kBlockSize * m_sizes.key_dim;
    const int64_t value_elements = kBlockSize * m_sizes.value_dim;
    const auto of_head = [&](const TensorView& pages, int64_t elements) {
      return static_cast<const char*>(pages.data()) + page_head * elements * dtype_bytes(dtype);
    };
    const ConstTensorView& sinks = m_params.sinks;
    return {.rows = m_rows.data() + planned.first_row,
            .num_rows = static_cast<int>(planned.num_rows),
            .part_rows = static_cast<int>(m_sizes.part_rows()),
            .group = static_cast<int>(m_sizes.group),
            .key_dim = static_cast<int>(m_sizes.key_dim),
            .value_dim = static_cast<int>(m_sizes.value_dim),
            .padded_key_dim = static_cast<int>(m_sizes.padded_key_dim()),
            .padded_value_dim = static_cast<int>(m_sizes.padded_value_dim()),
            .state_floats = m_sizes.state_floats(),
            .head = head,
            .num_heads = static_cast<int>(num_heads),
            .head_index = 0,
            .num_kv_heads = m_sizes.num_kv_heads,
            .key_begin = planned.key_begin,
            .key_end = planned.key_end,
            .begins = planned.begins,
            .ends = planned.ends,
            .first_block = planned.first_block,
            .keys = of_head(m_kv.keys, key_elements),
            .values = of_head(m_kv.values, value_elements),
            .dtype = dtype,
            .in_bf16 = m_in_bf16,
            .key_page_stride = page_heads * key_elements,
            .value_page_stride = page_heads * value_elements,
            .key_scales = scales_of(m_kv.key_scales, page_head),
            .value_scales = scales_of(m_kv.value_scales, page_head),
            .scale_stride = page_heads * kBlockSize,
            .block_table = m_tables.row<int32_t>(planned.sequence),
            .scale = m_params.scale,
            .soft_cap = m_params.soft_cap,
            .sinks = sinks.empty() ? nullptr : sinks.as<float>() + head * m_sizes.group,
            .scratch = scratch,
            .page_floats = m_sizes.page_floats()};
  }

 private:
  static const float* scales_of(const TensorView& scales, int64_t head) {
    return scales.empty() ? nullptr : scales.as<float>() + head * kBlockSize;
  }
  /// The most rows of a tile that leave enough tasks for all threads.
  int64_t tile_rows(int64_t num_threads) const {
    const int64_t part_rows = m_sizes.part_rows();
    const int64_t parts = m_out.dim(0) / part_rows * m_sizes.num_kv_heads;
    const int64_t of_tile = parts / (kTasksPerThread * num_threads);
    return part_rows * std::clamp<int64_t>(of_tile, 1, kMaxParts);
  }

  void check_sequences() {
    const int64_t num_sequences = m_tables.dim(0);
    CHECK(m_query_start[0] == 0 && m_query_start[num_sequences] == m_out.dim(0));
    for (int64_t s = 0; s < num_sequences; ++s) {
      const int64_t rows = int64_t{m_query_start[s + 1]} - m_query_start[s];
      CHECK(rows >= 0 && m_context_len[s] >= rows);
      m_max_context = std::max<int64_t>(m_max_context, m_context_len[s]);
    }
    CHECK(m_max_context <= m_tables.dim(1) * kBlockSize);
  }

  TensorView m_out;
  ConstTensorView m_q;
  KvLayerView m_kv;
  ConstTensorView m_tables;
  const AttentionParams& m_params;
  bool m_in_bf16;
  const int32_t* m_query_start = nullptr;
  const int32_t* m_context_len = nullptr;
  int64_t m_max_context = 0;
  AttentionSizes m_sizes = {};
  AttentionPlan m_plan;
  std::vector<AttentionRow> m_rows;
};

}  // namespace

void CpuBackend::attention(TensorView out, ConstTensorView q, KvLayerView kv,
                           const AttentionBatch& batch, const AttentionParams& params) {
  AttentionRun run(out, q, kv, batch, params, computes_in_bf16());
  if (out.dim(0) == 0) return;
  run.make_plan(m_pool.num_threads(), m_kernels.attention_fold != nullptr ? m_max_state_floats : 0);
  const auto state_floats =
      static_cast<size_t>(run.plan().num_states * run.sizes().row_state_floats());
  run.place_rows(scratch<float>(m_attention_states, state_floats * sizeof(float)));

  const int64_t heads = run.sizes().num_kv_heads;
  const size_t floats = run.scratch_floats();
  for (int thread = 0; thread < m_pool.num_threads(); ++thread) thread_scratch(thread, floats);
  for (const PlannedRound& round : run.plan().rounds) {
    const std::vector<AttentionTask> tasks =
        run.tasks(round.tiles, m_pool.num_threads(), m_kernels.attention_fold != nullptr);
    m_pool.parallel_for(static_cast<int64_t>(tasks.size()), [&](int64_t i, int thread) {
      const AttentionTask& task = tasks[static_cast<size_t>(i)];
      const auto kernel = task.tile->in_blocks ? m_kernels.attention_blocks : m_kernels.attention;
      kernel(run.tile(*task.tile, task.first_head, task.num_heads, thread_scratch(thread, floats)));
    });
    for (const PlannedTile& fold : round.folds) {
      m_pool.parallel_for(fold.num_rows * heads, [&](int64_t task, int thread) {
        PlannedTile row = fold;
        row.first_row += task / heads;
        row.num_rows = 1;
        m_kernels.attention_fold(run.tile(row, task % heads, 1, thread_scratch(thread, floats)));
      });
    }
  }
}

}  // namespace quire::cpu
