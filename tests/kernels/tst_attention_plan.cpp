// The plan of an attention: that each row meets each of its keys once and in order, that what is
// shared is computed together, and that long contexts are divided.

#include <QTest>
#include <algorithm>
#include <map>

#include "kernels/cpu/attention_plan.h"
#include "kernels/cpu/cpu_kernels.h"
#include "tests/kernels/kernel_test_support.h"

using namespace quire;
using namespace quire::cpu;
using namespace quire::test;

namespace {

struct Batch {
  std::vector<int32_t> query_start = {0};
  std::vector<int32_t> context_len;
  std::vector<std::vector<int32_t>> tables;
  std::vector<int32_t> flat;
  size_t width = 0;

  void add(int rows, int context, std::vector<int32_t> table) {
    query_start.push_back(query_start.back() + rows);
    context_len.push_back(context);
    table.resize(static_cast<size_t>((context + kPageKeys - 1) / kPageKeys), 0);
    tables.push_back(std::move(table));
  }

  AttentionShape shape(int num_threads = 1) {
    width = 0;
    for (const auto& table : tables) width = std::max(width, table.size());
    flat.clear();
    for (const auto& table : tables) {
      flat.insert(flat.end(), table.begin(), table.end());
      flat.resize(flat.size() + width - table.size(), -1);
    }
    return {.query_start = query_start.data(),
            .context_len = context_len.data(),
            .block_tables = flat.data(),
            .table_stride = static_cast<int64_t>(width),
            .num_sequences = static_cast<int64_t>(context_len.size()),
            .num_kv_heads = 1,
            .tile_rows = 8,
            .sliding_window = 0,
            .chunk_size = 0,
            .num_threads = num_threads,
            .max_states = 100000};
  }
};

/// A table of n new blocks behind the first `shared` of another.
std::vector<int32_t> table_after(const std::vector<int32_t>& other, size_t shared, size_t n) {
  static int32_t next = 1;
  std::vector<int32_t> table(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(shared));
  while (table.size() < shared + n) table.push_back(next++);
  return table;
}

/// Walks the plan as the backend does. Fails unless the rows meet all of their keys in order, in
/// the pages of their own sequences, with their states handed on; gives the number of keys read.
class PlanCheck {
 public:
  PlanCheck(const AttentionShape& shape, const AttentionPlan& plan) : m_shape(shape), m_plan(plan) {
    for (const PlannedRound& round : plan.rounds) {
      for (const PlannedTile& tile : round.tiles) {
        keys_read += tile.key_end - tile.key_begin;
        if (!tile.in_blocks) follow(tile);
        if (tile.in_blocks) m_parts[tile.first_row] += tile.key_end - tile.key_begin;
      }
      for (const PlannedTile& fold : round.folds) {
        follow(fold);
        right = right && m_parts[fold.first_row] == fold.key_end - fold.key_begin;
      }
      for (const auto& [row, position] : m_now) m_reached[row] = position;
      m_now.clear();
    }
    const int64_t num_rows = shape.query_start[shape.num_sequences];
    right = right && static_cast<int64_t>(m_ended.size()) == num_rows;
  }

  bool right = true;
  int64_t keys_read = 0;

 private:
  int64_t sequence_of(int64_t row) const {
    int64_t s = 0;
    while (m_shape.query_start[s + 1] <= row) ++s;
    return s;
  }

  bool same_pages(int64_t a, int64_t b, int64_t key_end) const {
    const int32_t* const tables = m_shape.block_tables;
    const int64_t pages = (key_end + kPageKeys - 1) / kPageKeys;
    return std::equal(tables + a * m_shape.table_stride, tables + a * m_shape.table_stride + pages,
                      tables + b * m_shape.table_stride);
  }

  void follow(const PlannedTile& tile) {
    right = right && tile.num_rows > 0 && tile.num_rows <= m_shape.tile_rows;
    for (int64_t i = tile.first_row; i < tile.first_row + tile.num_rows; ++i) {
      const PlannedRow& row = m_plan.rows[static_cast<size_t>(i)];
      const int64_t s = sequence_of(row.row);
      right = right && same_pages(s, tile.sequence, std::min(tile.key_end, row.position + 1));
      right = right && tile.begins == (m_reached[row.row] == 0 && tile.key_begin == 0);
      right = right && m_reached[row.row] == tile.key_begin && m_now.count(row.row) == 0;
      right = right && m_ended.count(row.row) == 0 && (!tile.ends || tile.key_end > row.position);
      right = right && (row.state >= 0 || (tile.begins && tile.ends));
      right = right && (tile.ends || tile.key_end <= row.position + 1);
      m_now[row.row] = tile.key_end;
      if (tile.ends) right = right && ++m_ended[row.row] == 1;
    }
  }

  const AttentionShape& m_shape;
  const AttentionPlan& m_plan;
  std::map<int64_t, int64_t> m_reached;  ///< By row: keys met in earlier rounds.
  std::map<int64_t, int64_t> m_now;
  std::map<int64_t, int64_t> m_ended;
  std::map<int64_t, int64_t> m_parts;
};

/// Sequences that continue or fork earlier ones, with few or many rows.
Batch random_batch(Numbers& numbers) {
  Batch batch;
  const int n = 1 + numbers.below(12);
  for (int s = 0; s < n; ++s) {
    const std::vector<int32_t> none;
    const bool forks = s > 0 && numbers.below(4) != 0;
    const auto& from = forks ? batch.tables[static_cast<size_t>(numbers.below(s))] : none;
    const auto shared = static_cast<size_t>(numbers.below(static_cast<int>(from.size()) + 1));
    const std::vector<int32_t> table =
        table_after(from, shared, 1 + static_cast<size_t>(numbers.below(40)));
    const int whole = static_cast<int>(table.size()) * kPageKeys;
    const int context = whole - numbers.below(kPageKeys);
    const int own = context - static_cast<int>(shared) * kPageKeys;
    batch.add(1 + numbers.below(std::min(own, numbers.below(2) == 0 ? 1 : 40)), context, table);
  }
  return batch;
}

}  // namespace

class TestAttentionPlan : public QObject {
  Q_OBJECT

 private slots:
  void plan_givesEveryRowItsKeysOnceAndInOrder() {
    Numbers numbers(7);
    for (int i = 0; i < 2000; ++i) {
      Batch batch = random_batch(numbers);
      for (int threads : {1, 16}) {
        AttentionShape shape = batch.shape(threads);
        for (int64_t max_states : {0, 5, 300, 100000}) {
          shape.max_states = max_states;
          const AttentionPlan plan = plan_attention(shape);
          QVERIFY2(PlanCheck(shape, plan).right, qPrintable(QString("batch %1").arg(i)));
          QVERIFY(plan.num_states <= max_states);
        }
      }
    }
  }

  void plan_readsASharedPrefixOnce() {
    Batch batch;
    const std::vector<int32_t> prefix = table_after({}, 0, 64);
    // In an order that keeps the sharers apart.
    for (int i = 0; i < 8; ++i) {
      batch.add(1, 1024 + 50, table_after(prefix, 64, 4));
      batch.add(1, 500, table_after({}, 0, 32));
    }
    const AttentionShape shape = batch.shape();
    const AttentionPlan plan = plan_attention(shape);
    const PlanCheck check(shape, plan);
    QVERIFY(check.right);
    QCOMPARE(check.keys_read, 1024 + 8 * 50 + 8 * 500);
    QCOMPARE(plan.rounds.size(), size_t{2});
  }

  void plan_sharesAtEveryForkOfATree() {
    Batch batch;
    const std::vector<int32_t> root = table_after({}, 0, 16);
    for (int branch = 0; branch < 2; ++branch) {
      const std::vector<int32_t> inner = table_after(root, 16, 8);
      for (int leaf = 0; leaf < 3; ++leaf) batch.add(1, 400, table_after(inner, 24, 1));
    }
    const AttentionShape shape = batch.shape();
    const PlanCheck check(shape, plan_attention(shape));
    QVERIFY(check.right);
    QCOMPARE(check.keys_read, 256 + 2 * 128 + 6 * 16);
  }

  void plan_leavesFullTilesAlone() {
    Batch batch;
    const std::vector<int32_t> prefix = table_after({}, 0, 64);
    for (int i = 0; i < 2; ++i) batch.add(8, 1040, table_after(prefix, 64, 1));
    const AttentionPlan plan = plan_attention(batch.shape());
    QCOMPARE(plan.rounds.size(), size_t{1});
    QCOMPARE(plan.num_states, int64_t{0});
  }

  void plan_dividesALongContextAmongThreads() {
    Batch batch;
    batch.add(1, 8000, table_after({}, 0, 500));
    QCOMPARE(plan_attention(batch.shape(1)).rounds[0].tiles.size(), size_t{1});
    const AttentionPlan plan = plan_attention(batch.shape(4));
    QCOMPARE(plan.rounds[0].tiles.size(), size_t{8});
    QCOMPARE(plan.rounds[0].folds.size(), size_t{1});
    // What a window hides is no work to divide.
    AttentionShape shape = batch.shape(4);
    shape.sliding_window = 1024;
    QCOMPARE(plan_attention(shape).rounds[0].tiles.size(), size_t{2});
    // Nor is what is in other chunks.
    shape = batch.shape(4);
    shape.chunk_size = 3500;
    QCOMPARE(plan_attention(shape).rounds[0].tiles.size(), size_t{2});
  }

  void plan_knowsTheFirstKeyOfEachRow() {
    Batch batch;
    batch.add(20, 50, table_after({}, 0, 4));
    AttentionShape shape = batch.shape();
    shape.chunk_size = 33;
    shape.sliding_window = 10;
    for (const PlannedRow& row : plan_attention(shape).rows) {
      const int64_t of_chunk = row.position < 33 ? 0 : 33;
      QCOMPARE(row.first_key, std::max(of_chunk, row.position - 9));
    }
  }

  void plan_dividesALongContextBesideShortOnes() {
    Batch batch;
    batch.add(1, 131072, table_after({}, 0, 8192));
    for (int i = 0; i < 3; ++i) batch.add(1, 1000, table_after({}, 0, 63));
    AttentionShape shape = batch.shape(16);
    shape.num_kv_heads = 8;
    const AttentionPlan plan = plan_attention(shape);
    QVERIFY(PlanCheck(shape, plan).right);
    int64_t total = 0;
    int64_t largest = 0;
    for (const PlannedTile& tile : plan.rounds[0].tiles) {
      total += (tile.key_end - tile.key_begin) * shape.num_kv_heads;
      largest = std::max(largest, tile.key_end - tile.key_begin);
    }
    QVERIFY2(largest * 2 <= total / shape.num_threads + kKeyBlock,
             qPrintable(QString("a task of %1 of %2 keys").arg(largest).arg(total)));
    // Even work is not split: there are tasks enough.
    Batch even;
    for (int i = 0; i < 4; ++i) even.add(1, 8000, table_after({}, 0, 500));
    shape = even.shape(16);
    shape.num_kv_heads = 8;
    QCOMPARE(plan_attention(shape).rounds[0].tiles.size(), size_t{4});
  }
};

QTEST_APPLESS_MAIN(TestAttentionPlan)
#include "tst_attention_plan.moc"
