#include "kernels/cpu/attention_plan.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/scratch_sizes.h"

namespace quire::cpu {
namespace {

constexpr int64_t kBlockPages = kKeyBlock / kPageKeys;
/// The fewest key blocks of a part of a split context.
constexpr int64_t kMinBlocksPerTask = 8;
/// The greatest depth of a prefix tree; deeper shared pages are computed for each sequence.
constexpr size_t kMaxRounds = 8;

/// A sequence with so few rows that a tile has room for rows of other sequences.
struct Sharer {
  int64_t sequence;
  int64_t num_blocks;  ///< Key blocks that all its rows see completely.
  const int32_t* table;
  int64_t common = 0;  ///< Key blocks in common with the preceding sharer.
};

/// Sharers [begin, end) whose states over the first `done` key blocks are in memory.
struct Branch {
  size_t begin;
  size_t end;
  int64_t done;
};

int64_t common_blocks(const Sharer& a, const Sharer& b) {
  const int64_t most = std::min(a.num_blocks, b.num_blocks);
  int64_t n = 0;
  while (n < most && std::memcmp(a.table + n * kBlockPages, b.table + n * kBlockPages,
                                 kBlockPages * sizeof(int32_t)) == 0) {
    ++n;
  }
  return n;
}

/// An order in which sequences with the same first pages are adjacent.
bool comes_before(const Sharer& a, const Sharer& b) {
  const int64_t most = std::min(a.num_blocks, b.num_blocks);
  const int order =
      std::memcmp(a.table, b.table, static_cast<size_t>(most * kBlockPages) * sizeof(int32_t));
  return order != 0 ? order < 0 : a.num_blocks < b.num_blocks;
}

class Planner {
 public:
  explicit Planner(const AttentionShape& shape) : m_shape(shape), m_budget(shape.max_states) {}

  AttentionPlan make() {
    std::vector<Branch> branches = find_sharers();
    m_plan.rounds.emplace_back();
    for (int64_t s = 0; s < m_shape.num_sequences; ++s) {
      if (!m_shared[static_cast<size_t>(s)]) add_whole_sequence(s);
    }
    while (true) {
      std::vector<Branch> next;
      for (const Branch& branch : branches) add_branch(branch, next);
      share_among_threads(m_plan.rounds.back());
      if (next.empty()) break;
      branches = std::move(next);
      m_plan.rounds.emplace_back();
    }
    return std::move(m_plan);
  }

 private:
  int64_t num_rows(int64_t s) const {
    return int64_t{m_shape.query_start[s + 1]} - m_shape.query_start[s];
  }
  int64_t first_position(int64_t s) const { return m_shape.context_len[s] - num_rows(s); }
  int64_t first_key_of(int64_t position) const {
    const int64_t window = m_shape.sliding_window, chunk = m_shape.chunk_size;
    const int64_t in_window = window > 0 ? std::max<int64_t>(0, position + 1 - window) : 0;
    return chunk > 0 ? std::max(in_window, position / chunk * chunk) : in_window;
  }

  /// The groups of sequences with the same first key block.
  std::vector<Branch> find_sharers() {
    m_shared.assign(static_cast<size_t>(m_shape.num_sequences), false);
    for (int64_t s = 0; s < m_shape.num_sequences; ++s) {
      const int64_t rows = num_rows(s);
      const int64_t blocks = (first_position(s) + 1) / kKeyBlock;
      if (rows == 0 || rows >= m_shape.tile_rows || blocks == 0 || rows > m_budget) continue;
      m_sharers.push_back({s, blocks, m_shape.block_tables + s * m_shape.table_stride});
    }
    std::sort(m_sharers.begin(), m_sharers.end(), comes_before);
    for (size_t i = 1; i < m_sharers.size(); ++i) {
      m_sharers[i].common = common_blocks(m_sharers[i - 1], m_sharers[i]);
    }
    std::vector<Branch> branches;
    for (size_t begin = 0; begin < m_sharers.size();) {
      size_t end = begin + 1;
      while (end < m_sharers.size() && m_sharers[end].common > 0) ++end;
      if (end - begin > 1 && allocate_states(begin, end)) branches.push_back({begin, end, 0});
      begin = end;
    }
    return branches;
  }

  /// Allocates the states of those sharers' rows, if the budget allows.
  bool allocate_states(size_t begin, size_t end) {
    int64_t states = 0;
    for (size_t i = begin; i < end; ++i) states += num_rows(m_sharers[i].sequence);
    if (states > m_budget - m_plan.num_states) return false;
    m_first_state.resize(static_cast<size_t>(m_shape.num_sequences), -1);
    for (size_t i = begin; i < end; ++i) {
      const auto s = static_cast<size_t>(m_sharers[i].sequence);
      m_shared[s] = true;
      m_first_state[s] = m_plan.num_states;
      m_plan.num_states += num_rows(m_sharers[i].sequence);
    }
    return true;
  }

  void add_row(int64_t s, int64_t row) {
    const int64_t in_sequence = row - m_shape.query_start[s];
    const bool shared = m_shared[static_cast<size_t>(s)];
    const int64_t position = first_position(s) + in_sequence;
    m_plan.rows.push_back({row, position, first_key_of(position),
                           shared ? m_first_state[static_cast<size_t>(s)] + in_sequence : -1, -1});
  }

  /// Tiles of consecutive rows, the longest first, so that those stolen at the end are short.
  void add_whole_sequence(int64_t s) {
    const int64_t begin = m_shape.query_start[s];
    for (int64_t row_end = m_shape.query_start[s + 1]; row_end > begin;) {
      const int64_t row = std::max(begin, row_end - m_shape.tile_rows);
      const auto first = static_cast<int64_t>(m_plan.rows.size());
      for (int64_t r = row; r < row_end; ++r) add_row(s, r);
      m_plan.rounds.back().tiles.push_back({.first_row = first,
                                            .num_rows = row_end - row,
                                            .sequence = s,
                                            .key_begin = 0,
                                            .key_end = m_plan.rows.back().position + 1,
                                            .begins = true,
                                            .ends = true});
      row_end = row;
    }
  }

  /// Adds tiles of all sharers of the branch over their common key blocks. Appends the branches of
  /// the remaining key blocks to `next`.
  void add_branch(const Branch& branch, std::vector<Branch>& next) {
    const bool alone = branch.end - branch.begin == 1 || m_plan.rounds.size() >= kMaxRounds;
    if (alone) {
      for (size_t i = branch.begin; i < branch.end; ++i) {
        const int64_t s = m_sharers[i].sequence;
        add_tiles(i, i + 1, branch.done * kKeyBlock, m_shape.context_len[s], true);
      }
      return;
    }
    int64_t common = m_sharers[branch.begin + 1].common;
    for (size_t i = branch.begin + 2; i < branch.end; ++i) {
      common = std::min(common, m_sharers[i].common);
    }
    add_tiles(branch.begin, branch.end, branch.done * kKeyBlock, common * kKeyBlock, false);
    for (size_t begin = branch.begin; begin < branch.end;) {
      size_t end = begin + 1;
      while (end < branch.end && m_sharers[end].common > common) ++end;
      next.push_back({begin, end, common});
      begin = end;
    }
  }

  void add_tiles(size_t begin, size_t end, int64_t key_begin, int64_t key_end, bool ends) {
    const auto first = static_cast<int64_t>(m_plan.rows.size());
    for (size_t i = begin; i < end; ++i) {
      const int64_t s = m_sharers[i].sequence;
      for (int64_t r = m_shape.query_start[s]; r < m_shape.query_start[s + 1]; ++r) add_row(s, r);
    }
    const int64_t rows = static_cast<int64_t>(m_plan.rows.size()) - first;
    const int64_t tiles = ceil_div(rows, m_shape.tile_rows);
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t from = rows * i / tiles;
      m_plan.rounds.back().tiles.push_back({.first_row = first + from,
                                            .num_rows = rows * (i + 1) / tiles - from,
                                            .sequence = m_sharers[begin].sequence,
                                            .key_begin = key_begin,
                                            .key_end = key_end,
                                            .begins = key_begin == 0,
                                            .ends = ends});
    }
  }

  /// Splits the keys of tiles so that no thread gets much more work than the others. If there are
  /// too few tasks, all tiles are split in proportion to their work, otherwise only those that
  /// exceed a thread's share.
  void share_among_threads(PlannedRound& round) {
    if (m_shape.num_threads == 1) return;
    const auto tasks = static_cast<int64_t>(round.tiles.size()) * m_shape.num_kv_heads;
    const int64_t wanted = 2 * int64_t{m_shape.num_threads};
    int64_t work = 0;
    for (const PlannedTile& tile : round.tiles) work += num_blocks(tile) * tile.num_rows;
    std::vector<PlannedTile> tiles;
    for (const PlannedTile& tile : round.tiles) {
      const int64_t blocks = num_blocks(tile);
      const int64_t states = tile.num_rows * blocks;
      int64_t parts = ceil_div(wanted * states, std::max<int64_t>(1, work) * m_shape.num_kv_heads);
      if (tasks >= wanted && parts <= 2) parts = 1;
      parts = std::min(parts, blocks / kMinBlocksPerTask);
      if (parts < 2 || states > m_budget - m_plan.num_states) {
        tiles.push_back(tile);
        continue;
      }
      const int64_t first_block = first_seen_key(tile) / kKeyBlock;
      divide(tile, first_block, blocks, parts, tiles);
      round.folds.push_back(tile);
      round.folds.back().first_block = first_block;
    }
    round.tiles = std::move(tiles);
  }

  /// Key blocks that the tile's rows see; at least 1.
  int64_t num_blocks(const PlannedTile& tile) const {
    return ceil_div(tile.key_end, kKeyBlock) - first_seen_key(tile) / kKeyBlock;
  }

  int64_t first_seen_key(const PlannedTile& tile) const {
    int64_t first = tile.key_end - 1;
    for (int64_t i = tile.first_row; i < tile.first_row + tile.num_rows; ++i) {
      first = std::min(first, m_plan.rows[static_cast<size_t>(i)].first_key);
    }
    return std::max(tile.key_begin, first);
  }

  void divide(const PlannedTile& tile, int64_t first_block, int64_t blocks, int64_t parts,
              std::vector<PlannedTile>& tiles) {
    for (int64_t i = tile.first_row; i < tile.first_row + tile.num_rows; ++i) {
      m_plan.rows[static_cast<size_t>(i)].block_states = m_plan.num_states;
      m_plan.num_states += blocks;
    }
    for (int64_t i = 0; i < parts; ++i) {
      PlannedTile part = tile;
      part.in_blocks = true;
      part.first_block = first_block;
      part.key_begin = (first_block + blocks * i / parts) * kKeyBlock;
      part.key_end = std::min(tile.key_end, (first_block + blocks * (i + 1) / parts) * kKeyBlock);
      tiles.push_back(part);
    }
  }

  const AttentionShape& m_shape;
  int64_t m_budget;
  AttentionPlan m_plan;
  std::vector<Sharer> m_sharers;
  std::vector<bool> m_shared;          ///< By sequence.
  std::vector<int64_t> m_first_state;  ///< By sequence: the state of its first row.
};

}  // namespace

AttentionPlan plan_attention(const AttentionShape& shape) {
  CHECK(shape.tile_rows > 0 && shape.num_threads > 0);
  return Planner(shape).make();
}

}  // namespace quire::cpu
