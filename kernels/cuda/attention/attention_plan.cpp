#include "kernels/cuda/attention/attention_plan.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/check.h"

namespace quire::cuda {
namespace {

/// A single tile of a sequence is cut into its splits if its work exceeds a worker's share of all
/// work divided by this.
constexpr int64_t kPartsOfShare = 8;

int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// The rows of a sequence that see keys.
struct Sequence {
  int first_row = 0;
  int num_rows = 0;
  int position = 0;     ///< Of its first row.
  int first_split = 0;  ///< The first split that its first row sees.
  int last_split = 0;   ///< The last split that its last row sees.
  int own_split = 0;    ///< The first split that it does not share.
  int64_t state = -1;   ///< The first state of its first row; each row has num_states().
  bool is_cut = false;

  int num_splits() const { return last_split - first_split + 1; }
  int last_position() const { return position + num_rows - 1; }
};

/// Sequences with the same first split and the same pages of all splits before `split`.
struct Branch {
  std::vector<int> members;
  int split;
};

class Planner {
 public:
  explicit Planner(const AttentionPlanInput& input) : m_input(input) {}

  AttentionPlan make() {
    read_sequences();
    share_splits();
    cut_sequences();
    for (int s = 0; s < num_sequences(); ++s) add_own_tiles(s);
    for (auto& tiles : m_plan.tiles) {
      std::stable_sort(tiles.begin(), tiles.end(), [](const PlannedTile& a, const PlannedTile& b) {
        return a.key_end - a.key_begin > b.key_end - b.key_begin;
      });
    }
    add_folds();
    return std::move(m_plan);
  }

 private:
  int num_sequences() const { return static_cast<int>(m_input.context_len.size()); }
  int small_rows() const { return m_input.tile_rows[kSmallTiles]; }
  Sequence& at(int s) { return m_sequences[static_cast<size_t>(s)]; }

  int first_key_of(int position) const {
    const KeySpan& span = m_input.span;
    const int in_window =
        span.sliding_window > 0 ? std::max(0, position + 1 - span.sliding_window) : 0;
    if (span.chunk_size == 0) return in_window;
    return std::max(in_window, position / span.chunk_size * span.chunk_size);
  }
  const int32_t* pages(int s, int split) const {
    return m_input.block_tables.data() + s * m_input.table_stride + split_begin(split) / kPageKeys;
  }

  void read_sequences() {
    m_sequences.resize(m_input.context_len.size());
    for (int s = 0; s < num_sequences(); ++s) {
      const int begin = m_input.query_start[static_cast<size_t>(s)];
      const int end = m_input.query_start[static_cast<size_t>(s) + 1];
      const int context = m_input.context_len[static_cast<size_t>(s)];
      // Rows before the context are padding.
      const int padding = std::max(0, end - begin - context);
      for (int row = begin; row < begin + padding; ++row) m_plan.folds.push_back({row, 0, 0});
      Sequence& sequence = at(s);
      sequence.first_row = begin + padding;
      sequence.num_rows = end - begin - padding;
      if (sequence.num_rows == 0) continue;
      sequence.position = context - sequence.num_rows;
      sequence.first_split = split_of(first_key_of(sequence.position));
      sequence.last_split = split_of(context - 1);
      sequence.own_split = sequence.first_split;
    }
  }

  /// Allocates the states of a sequence; false if there is no room.
  bool cut(Sequence& sequence) {
    if (sequence.is_cut) return true;
    const int64_t states = states_before(sequence, sequence.num_rows);
    if (m_plan.num_states + states > m_input.max_states) return false;
    sequence.is_cut = true;
    sequence.state = m_plan.num_states;
    m_plan.num_states += states;
    return true;
  }

  static int num_states(const Sequence& sequence, int row) {
    return split_of(sequence.position + row) - sequence.first_split + 1;
  }
  static int64_t states_before(const Sequence& sequence, int row) {
    int64_t states = 0;
    for (int i = 0; i < row; ++i) states += num_states(sequence, i);
    return states;
  }

  // Shared splits --------------------------------------------------------------------------

  bool may_share(const Sequence& sequence, int split) const {
    return sequence.num_rows > 0 && sequence.num_rows * m_input.group < small_rows() &&
           sequence.position + 1 >= split_begin(split + 1);
  }

  void share_splits() {
    std::vector<Branch> branches;
    std::vector<int> order;
    for (int s = 0; s < num_sequences(); ++s) {
      if (may_share(at(s), at(s).first_split)) order.push_back(s);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return at(a).first_split < at(b).first_split; });
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin;
      Branch branch{{}, at(order[begin]).first_split};
      while (end < order.size() && at(order[end]).first_split == branch.split) {
        branch.members.push_back(order[end++]);
      }
      branches.push_back(std::move(branch));
      begin = end;
    }
    while (!branches.empty()) {
      const Branch branch = std::move(branches.back());
      branches.pop_back();
      grow(branch, branches);
    }
  }

  /// Divides a branch by the pages of its split. Sequences with the same pages are computed
  /// together over the split and form a branch for the next one.
  void grow(const Branch& branch, std::vector<Branch>& branches) {
    std::vector<int> members;
    for (int s : branch.members) {
      if (may_share(at(s), branch.split)) members.push_back(s);
    }
    const int keys = split_begin(branch.split + 1) - split_begin(branch.split);
    const size_t bytes = static_cast<size_t>(keys / kPageKeys) * sizeof(int32_t);
    const auto compare = [&](int a, int b) {
      return std::memcmp(pages(a, branch.split), pages(b, branch.split), bytes);
    };
    if (members.size() < 2) return;
    std::stable_sort(members.begin(), members.end(),
                     [&](int a, int b) { return compare(a, b) < 0; });
    for (size_t begin = 0; begin < members.size();) {
      size_t end = begin + 1;
      while (end < members.size() && compare(members[begin], members[end]) == 0) ++end;
      Branch same{{members.begin() + static_cast<std::ptrdiff_t>(begin),
                   members.begin() + static_cast<std::ptrdiff_t>(end)},
                  branch.split + 1};
      if (same.members.size() > 1) std::erase_if(same.members, [&](int s) { return !cut(at(s)); });
      if (same.members.size() > 1) {
        compute_together(same.members, branch.split);
        branches.push_back(std::move(same));
      }
      begin = end;
    }
  }

  void compute_together(const std::vector<int>& members, int split) {
    // If the members are those of the last call, their list of tokens is used again.
    if (members != m_listed) {
      m_listed = members;
      m_listed_first = static_cast<int>(m_plan.tokens.size());
      for (int s : members) add_tokens(at(s));
    }
    for (int s : members) at(s).own_split = split + 1;
    const int rows = (static_cast<int>(m_plan.tokens.size()) - m_listed_first) * m_input.group;
    add_tiles(m_listed_first * m_input.group, rows,
              {.sequence = members[0],
               .key_begin = split_begin(split),
               .key_end = split_begin(split + 1),
               .state_split = split});
  }

  // Splits that are not shared --------------------------------------------------------------

  int64_t num_small_tiles(const Sequence& sequence) const {
    return divide_up(int64_t{sequence.num_rows} * m_input.group, small_rows());
  }

  /// Cuts sequences whose tiles would take longer than others, while there is room for states.
  void cut_sequences() {
    int64_t tiles = 0;
    int64_t work = 0;
    for (const Sequence& sequence : m_sequences) {
      if (sequence.num_rows == 0) continue;
      const int64_t of_sequence = num_small_tiles(sequence) * m_input.num_kv_heads;
      tiles += of_sequence;
      work += of_sequence * (sequence.last_split + 1 - sequence.own_split);
    }
    // The states of full tiles cost nearly as much as their keys, so these tiles are cut only if
    // most workers would be idle.
    const bool are_few = tiles * 2 < m_input.num_workers;
    for (Sequence& sequence : m_sequences) {
      if (sequence.num_rows == 0 || sequence.num_splits() < 2) continue;
      const bool is_long = sequence.num_splits() * kPartsOfShare * m_input.num_workers > work;
      if (num_small_tiles(sequence) == 1 ? is_long : are_few) cut(sequence);
    }
  }

  void add_own_tiles(int s) {
    const Sequence& sequence = at(s);
    if (sequence.num_rows == 0 || sequence.own_split > sequence.last_split) return;
    const int first = static_cast<int>(m_plan.tokens.size());
    add_tokens(sequence);
    if (!sequence.is_cut) {
      add_tiles(first * m_input.group, sequence.num_rows * m_input.group,
                {.sequence = s, .key_end = sequence.last_position() + 1, .state_split = -1});
      return;
    }
    for (int split = sequence.own_split; split <= sequence.last_split; ++split) {
      const int hidden = std::max(0, split_begin(split) - sequence.position);
      add_tiles((first + hidden) * m_input.group, (sequence.num_rows - hidden) * m_input.group,
                {.sequence = s,
                 .key_begin = split_begin(split),
                 .key_end = std::min(split_begin(split + 1), sequence.last_position() + 1),
                 .state_split = split});
    }
  }

  void add_tokens(const Sequence& sequence) {
    int64_t state = sequence.state;
    for (int i = 0; i < sequence.num_rows; ++i) {
      m_plan.tokens.push_back({.row = sequence.first_row + i,
                               .position = sequence.position + i,
                               .state = static_cast<int32_t>(state - sequence.first_split)});
      if (sequence.is_cut) state += num_states(sequence, i);
    }
  }

  /// Adds tiles of the rows [first, first + count) of the list, narrowed to keys that they see.
  void add_tiles(int first, int count, PlannedTile tile) {
    const int end = first + count;
    const int large = m_input.tile_rows[kLargeTiles];
    while (first < end) {
      const TileSize size = large > 0 && end - first > small_rows() ? kLargeTiles : kSmallTiles;
      PlannedTile part = tile;
      part.first_row = first;
      part.num_rows = std::min(end - first, m_input.tile_rows[size]);
      narrow(part);
      m_plan.tiles[size].push_back(part);
      first += part.num_rows;
    }
  }

  void narrow(PlannedTile& tile) const {
    int begin = tile.key_end;
    int end = tile.key_begin;
    const int last = (tile.first_row + tile.num_rows - 1) / m_input.group;
    for (int i = tile.first_row / m_input.group; i <= last; ++i) {
      const int position = m_plan.tokens[static_cast<size_t>(i)].position;
      begin = std::min(begin, first_key_of(position));
      end = std::max(end, position + 1);
    }
    tile.key_begin = std::max(tile.key_begin, begin);
    tile.key_end = std::min(tile.key_end, end);
    // A tile whose rows see no key stores empty states.
    tile.key_begin = std::min(tile.key_begin, tile.key_end);
  }

  void add_folds() {
    for (const Sequence& sequence : m_sequences) {
      if (!sequence.is_cut) continue;
      int64_t state = sequence.state;
      for (int i = 0; i < sequence.num_rows; ++i) {
        const int count = num_states(sequence, i);
        m_plan.folds.push_back({.row = sequence.first_row + i,
                                .first_state = static_cast<int32_t>(state),
                                .num_states = count});
        state += count;
      }
    }
  }

  const AttentionPlanInput& m_input;
  AttentionPlan m_plan;
  std::vector<Sequence> m_sequences;
  std::vector<int> m_listed;  ///< Sequences whose tokens were added last, from m_listed_first on.
  int m_listed_first = 0;
};

}  // namespace

AttentionPlan plan_attention(const AttentionPlanInput& input) {
  CHECK(input.query_start.size() == input.context_len.size() + 1);
  CHECK(input.group > 0 && input.num_kv_heads > 0 && input.tile_rows[kSmallTiles] > 0);
  return Planner(input).make();
}

}  // namespace quire::cuda
