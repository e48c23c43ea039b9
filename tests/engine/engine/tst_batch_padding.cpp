// pad_decode_batch: few shapes for many batches.

#include <QTest>
#include <set>

#include "engine/models/forward_batch.h"

using namespace quire;

namespace {

/// A decode batch of sequences with these contexts; block b of sequence s is 100 s + b.
ForwardBatch decodes(const std::vector<int>& contexts) {
  ForwardBatch batch;
  for (const int context : contexts)
    batch.max_blocks = std::max(batch.max_blocks, (context + 15) / 16);
  for (size_t s = 0; s < contexts.size(); ++s) {
    const auto id = static_cast<int32_t>(s);
    batch.ids.push_back(7 + id);
    batch.positions.push_back(contexts[s] - 1);
    batch.slot_mapping.push_back(16 * id);
    batch.logits_rows.push_back(id);
    batch.query_start.push_back(id + 1);
    batch.context_len.push_back(contexts[s]);
    for (int b = 0; b < batch.max_blocks; ++b) batch.block_tables.push_back(100 * id + b);
  }
  return batch;
}

}  // namespace

class TestBatchPadding : public QObject {
  Q_OBJECT

 private slots:
  void windowTables_arePaddedAsBlockTables() {
    ForwardBatch batch = decodes({40, 3, 90});
    batch.window_slots = batch.slot_mapping;
    batch.window_tables = batch.block_tables;
    pad_decode_batch(batch, 64, 100);
    QCOMPARE(batch.window_tables, batch.block_tables);
    QCOMPARE(batch.window_slots, batch.slot_mapping);
  }

  void decodes_areToldFromPrefills() {
    ForwardBatch batch = decodes({5, 9});
    QVERIFY(is_decode_batch(batch));
    batch.logits_rows.pop_back();
    QVERIFY(!is_decode_batch(batch));
  }

  void shapes_areFew() {
    std::set<std::pair<int, int>> shapes;
    for (int sequences = 1; sequences <= 60; ++sequences) {
      for (const int context : {1, 17, 200, 1000}) {
        ForwardBatch batch = decodes(std::vector<int>(static_cast<size_t>(sequences), context));
        pad_decode_batch(batch, 60, 64);
        QVERIFY(batch.num_sequences() >= sequences && batch.num_sequences() <= 60);
        shapes.insert({batch.num_sequences(), batch.max_blocks});
      }
    }
    QCOMPARE(shapes.size(),
             size_t{11 * 4});  // 1, 2, 4, 8, 16, ..., 56, 60 rows; 1, 2, 16, 64 blocks.
  }

  void rows_thatWereThereStay() {
    const ForwardBatch before = decodes({40, 3, 90});
    ForwardBatch batch = before;
    pad_decode_batch(batch, 64, 64);
    QCOMPARE(batch.num_sequences(), 4);
    QCOMPARE(batch.max_blocks, 8);
    for (size_t s = 0; s < 3; ++s) {
      QCOMPARE(batch.ids[s], before.ids[s]);
      QCOMPARE(batch.context_len[s], before.context_len[s]);
      for (int b = 0; b < before.max_blocks; ++b) {
        const auto at = static_cast<size_t>(b);
        QCOMPARE(batch.block_tables[s * 8 + at],
                 before.block_tables[s * static_cast<size_t>(before.max_blocks) + at]);
      }
    }
  }

  void rows_thatAreAddedWriteNothingAndSeeNothing() {
    ForwardBatch batch = decodes({40, 3, 90});
    pad_decode_batch(batch, 64, 64);
    QCOMPARE(batch.slot_mapping.back(), -1);
    QCOMPARE(batch.context_len.back(), 0);
    QCOMPARE(batch.query_start.back(), batch.num_tokens());
    QCOMPARE(batch.logits_rows.back(), 3);
    QCOMPARE(batch.block_tables.size(), size_t{4 * 8});
  }

  void limits_areKept() {
    ForwardBatch batch = decodes({40, 3, 90});
    pad_decode_batch(batch, 3, 7);
    QCOMPARE(batch.num_sequences(), 3);
    QCOMPARE(batch.max_blocks, 7);
  }
};

QTEST_APPLESS_MAIN(TestBatchPadding)
#include "tst_batch_padding.moc"
