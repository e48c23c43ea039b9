// The plan of the CUDA backend's attention: that each row meets each key that it sees once, in
// pages of its own, that shared prefixes are read once, and that long contexts are cut.

#include <QTest>
#include <map>
#include <set>

#include "kernels/cuda/attention/attention_plan.h"
#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::cuda;
using namespace quire::test;

namespace {

struct Batch {
  std::vector<int32_t> query_start = {0};
  std::vector<int32_t> context_len;
  std::vector<std::vector<int32_t>> tables;
  std::vector<int32_t> flat;

  void add(int rows, int context, std::vector<int32_t> table = {}) {
    static int32_t next = 1;
    query_start.push_back(query_start.back() + rows);
    context_len.push_back(context);
    table.resize(static_cast<size_t>((context + kPageKeys - 1) / kPageKeys), 0);
    for (int32_t& page : table) page = page != 0 ? page : next++;
    tables.push_back(std::move(table));
  }

  AttentionPlanInput input() {
    size_t width = 1;
    for (const auto& table : tables) width = std::max(width, table.size());
    flat.clear();
    for (const auto& table : tables) {
      flat.insert(flat.end(), table.begin(), table.end());
      flat.resize(flat.size() + width - table.size(), -1);
    }
    return {.query_start = query_start,
            .context_len = context_len,
            .block_tables = flat,
            .table_stride = static_cast<int64_t>(width),
            .group = 4,
            .tile_rows = {64, 0},
            .num_workers = 16,
            .max_states = 100000};
  }
};

/// Follows the plan: which keys each row of the batch meets, and where its states are.
class PlanCheck {
 public:
  PlanCheck(const AttentionPlanInput& input, const AttentionPlan& plan)
      : m_input(input), m_plan(plan) {
    for (const int size : {kSmallTiles, kLargeTiles}) {
      for (const PlannedTile& tile : plan.tiles[static_cast<size_t>(size)]) {
        right = right && tile.num_rows > 0 &&
                tile.num_rows <= input.tile_rows[static_cast<size_t>(size)];
        pages_read += tile.key_end - tile.key_begin;
        check_span(tile);
        for (int i = 0; i < tile.num_rows; ++i) follow(tile, tile.first_row + i);
      }
    }
    for (const PlannedFold& fold : plan.folds) check_fold(fold);
    for (size_t s = 0; s < input.context_len.size(); ++s) check_sequence(s);
  }

  bool right = true;
  int64_t pages_read = 0;

 private:
  int window_begin(int position) const {
    const auto [window, chunk] = m_input.span;
    const int begin = window > 0 ? std::max(0, position + 1 - window) : 0;
    return chunk > 0 ? std::max(begin, position - position % chunk) : begin;
  }
  int32_t page(int sequence, int key) const {
    return m_input
        .block_tables[static_cast<size_t>(sequence * m_input.table_stride + key / kPageKeys)];
  }
  int sequence_of(int row) const {
    int s = 0;
    while (m_input.query_start[static_cast<size_t>(s) + 1] <= row) ++s;
    return s;
  }

  /// A tile reads no key that none of its rows sees.
  void check_span(const PlannedTile& tile) {
    int begin = tile.key_end;
    int end = tile.key_begin;
    for (int i = 0; i < tile.num_rows; ++i) {
      const int row = (tile.first_row + i) / m_input.group;
      const int position = m_plan.tokens[static_cast<size_t>(row)].position;
      begin = std::min(begin, window_begin(position));
      end = std::max(end, position + 1);
    }
    right = right && tile.key_begin <= tile.key_end &&
            (tile.key_begin == tile.key_end || (begin <= tile.key_begin && tile.key_end <= end));
  }

  void follow(const PlannedTile& tile, int tile_row) {
    const PlannedToken& token = m_plan.tokens[static_cast<size_t>(tile_row / m_input.group)];
    const int id = token.row * m_input.group + tile_row % m_input.group;
    m_position[token.row] = token.position;
    const int begin = std::max(tile.key_begin, window_begin(token.position));
    const int end = std::min(tile.key_end, token.position + 1);
    for (int key = begin; key < end; ++key) {
      right = right && page(tile.sequence, key) == page(sequence_of(token.row), key);
    }
    if (begin < end) m_keys[id] += end - begin;
    if (tile.state_split < 0) {
      right = right && m_written.insert(id).second;
      return;
    }
    right = right && split_begin(tile.state_split) <= tile.key_begin &&
            tile.key_end <= split_begin(tile.state_split + 1);
    const int state = token.state + tile.state_split;
    right = right && state >= 0 && state < m_plan.num_states;
    right = right && m_states.insert({state, tile_row % m_input.group}).second;
    m_states_of[token.row].insert(state);
  }

  void check_fold(const PlannedFold& fold) {
    for (int head = 0; head < m_input.group; ++head)
      right = right && m_written.insert(fold.row * m_input.group + head).second;
    std::set<int> expected;
    for (int i = 0; i < fold.num_states; ++i) expected.insert(fold.first_state + i);
    right = right && m_states_of[fold.row] == expected;
  }

  void check_sequence(size_t s) {
    const int begin = m_input.query_start[s];
    const int end = m_input.query_start[s + 1];
    for (int row = begin; row < end; ++row) {
      const int position = m_input.context_len[s] - (end - row);
      const int keys = position < 0 ? 0 : position + 1 - window_begin(position);
      right = right && (position < 0 || m_position[row] == position);
      for (int head = 0; head < m_input.group; ++head) {
        const int id = row * m_input.group + head;
        right = right && m_written.count(id) == 1 && m_keys[id] == keys;
      }
    }
  }

  const AttentionPlanInput& m_input;
  const AttentionPlan& m_plan;
  std::map<int, int> m_position;
  std::map<int, int> m_keys;  ///< By row and head.
  std::set<int> m_written;
  std::set<std::pair<int, int>> m_states;
  std::map<int, std::set<int>> m_states_of;
};

/// Sequences that continue or fork earlier ones, with few or many rows, and padded ones.
Batch random_batch(Numbers& numbers) {
  Batch batch;
  const int n = 1 + numbers.below(12);
  for (int s = 0; s < n; ++s) {
    if (numbers.below(8) == 0) {
      batch.add(1 + numbers.below(2), numbers.below(2));
      continue;
    }
    std::vector<int32_t> table;
    if (s > 0 && numbers.below(4) != 0) {
      table = batch.tables[static_cast<size_t>(numbers.below(s))];
      table.resize(static_cast<size_t>(numbers.below(static_cast<int>(table.size()) + 1)));
    }
    const int own = 1 + numbers.below(numbers.below(2) == 0 ? 20 : 700);
    const int context = static_cast<int>(table.size()) * kPageKeys + own;
    batch.add(1 + numbers.below(std::min(own, numbers.below(2) == 0 ? 1 : 60)), context, table);
  }
  return batch;
}

}  // namespace

class TestCudaAttentionPlan : public QObject {
  Q_OBJECT

 private slots:
  void splits_coverAllKeysInOrder() {
    int split = 0;
    for (int key = 0; key < 5000; ++key) {
      if (key == split_begin(split + 1)) ++split;
      QCOMPARE(split_of(key), split);
      QCOMPARE(split_begin(split) % kKeyBlock, 0);
    }
  }

  void plan_givesEveryRowItsKeysOnce() {
    Numbers numbers(7);
    for (int i = 0; i < 300; ++i) {
      Batch batch = random_batch(numbers);
      AttentionPlanInput input = batch.input();
      input.group = 1 + numbers.below(9);
      input.num_workers = 1 + numbers.below(100);
      input.span.sliding_window = numbers.below(2) == 0 ? 0 : 1 + numbers.below(900);
      input.span.chunk_size = numbers.below(3) != 0 ? 0 : 1 + numbers.below(900);
      input.tile_rows[kLargeTiles] = numbers.below(2) == 0 ? 0 : 128;
      for (int64_t max_states : {0, 5, 100, 100000}) {
        input.max_states = max_states;
        const AttentionPlan plan = plan_attention(input);
        QVERIFY2(PlanCheck(input, plan).right, qPrintable(QString("batch %1").arg(i)));
        QVERIFY(plan.num_states <= max_states);
      }
    }
  }

  void plan_readsASharedPrefixOnce() {
    Batch batch;
    batch.add(1, 1024 + 50);
    std::vector<int32_t> prefix = batch.tables[0];
    prefix.resize(1024 / kPageKeys);
    for (int i = 1; i < 8; ++i) {
      batch.add(1, 200);  // Keeps the sharers apart.
      batch.add(1, 1024 + 50, prefix);
    }
    const AttentionPlanInput input = batch.input();
    const AttentionPlan plan = plan_attention(input);
    const PlanCheck check(input, plan);
    QVERIFY(check.right);
    QCOMPARE(check.pages_read, 1024 + 8 * 50 + 7 * 200);
  }

  void plan_sharesAtEveryForkOfATree() {
    Batch batch;
    batch.add(1, 256);
    const std::vector<int32_t> root = batch.tables[0];
    for (int branch = 0; branch < 2; ++branch) {
      batch.add(1, 513, root);
      std::vector<int32_t> inner = batch.tables.back();
      inner.resize(512 / kPageKeys);
      for (int leaf = 0; leaf < 2; ++leaf) batch.add(1, 520, inner);
    }
    const AttentionPlanInput input = batch.input();
    const PlanCheck check(input, plan_attention(input));
    QVERIFY(check.right);
    QCOMPARE(check.pages_read, 256 + 2 * 256 + 2 * (1 + 2 * 8));
  }

  void plan_cutsALongContextAmongWorkers() {
    Batch batch;
    batch.add(1, 8192);
    AttentionPlanInput input = batch.input();
    AttentionPlan plan = plan_attention(input);
    QCOMPARE(plan.tiles[kSmallTiles].size(), size_t{4 + 14});
    QCOMPARE(plan.folds.size(), size_t{1});
    // What a window hides is not read.
    input.span.sliding_window = 512;
    plan = plan_attention(input);
    QCOMPARE(plan.tiles[kSmallTiles].size(), size_t{1});
    QCOMPARE(plan.tiles[kSmallTiles][0].key_begin, 8192 - 512);
    // Nor what is in other chunks.
    input.span = {.chunk_size = 8000};
    plan = plan_attention(input);
    QCOMPARE(plan.tiles[kSmallTiles].size(), size_t{1});
    QCOMPARE(plan.tiles[kSmallTiles][0].key_begin, 8000);
    // There is room for no states.
    input.span = {};
    input.max_states = 17;
    QCOMPARE(plan_attention(input).tiles[kSmallTiles].size(), size_t{1});
  }

  void plan_leavesManySequencesWhole() {
    Batch batch;
    for (int i = 0; i < 400; ++i) batch.add(1, 700);
    const AttentionPlan plan = plan_attention(batch.input());
    QCOMPARE(plan.tiles[kSmallTiles].size(), size_t{400});
    QCOMPARE(plan.num_states, int64_t{0});
  }

  void plan_putsLongPrefillsIntoLargeTiles() {
    Batch batch;
    batch.add(300, 300);
    AttentionPlanInput input = batch.input();
    input.tile_rows[kLargeTiles] = 128;
    input.num_workers = 2;
    const AttentionPlan plan = plan_attention(input);
    QVERIFY(PlanCheck(input, plan).right);
    QCOMPARE(plan.tiles[kLargeTiles].size(), size_t{9});
    QCOMPARE(plan.tiles[kSmallTiles].size(), size_t{1});
    QVERIFY(plan.tiles[kLargeTiles][0].key_end > plan.tiles[kLargeTiles][8].key_end);
  }
};

QTEST_APPLESS_MAIN(TestCudaAttentionPlan)
#include "tst_cuda_attention_plan.moc"
