// BlockCache with host memory behind it: what moves there, and what comes back.

#include <QTest>

#include <climits>
#include <numeric>

#include "engine/cache/block_cache.h"
#include "tests/support/late_backend.h"

using namespace quire;

namespace {

constexpr size_t kBytes = 64;
using Kind = BlockCopy::Kind;

BlockTable table(int count, int first = 0) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return BlockTable(root_key("model"), std::move(ids));
}

/// A pool of 6 blocks, and host memory for some.
struct Tier {
  explicit Tier(int host_blocks)
      : host(backend, kBytes, static_cast<uint64_t>(host_blocks) * kBytes), cache(6, true, &host) {}

  /// Computes all of its tokens, and gives the blocks back.
  void compute(BlockTable t) {
    QVERIFY(cache.reserve(t, t.num_tokens()));
    cache.mark_computed(t, t.num_tokens());
    cache.release(t);
  }

  int count(const std::vector<BlockCopy>& copies, Kind kind) {
    return static_cast<int>(std::ranges::count(copies, kind, &BlockCopy::kind));
  }

  LateBackend backend;
  HostBlockStore host;
  BlockCache cache;
};

}  // namespace

class TestBlockCacheHost : public QObject {
  Q_OBJECT

 private slots:
  void evictedBlocks_moveToHostMemory() {
    Tier tier(20);
    tier.compute(table(70));
    QVERIFY(tier.cache.take_copies().empty());
    tier.compute(table(90, 1000));
    // Of the first, four full blocks; its fifth was not full.
    const auto copies = tier.cache.take_copies();
    QCOMPARE(copies.size(), size_t{4});
    QCOMPARE(tier.count(copies, Kind::kToHost), 4);
    QCOMPARE(tier.host.num_blocks(), 4);
    QVERIFY(tier.cache.take_copies().empty());
    QCOMPARE(tier.cache.count_matching(table(70)).blocks, 0);
    QCOMPARE(tier.cache.count_held(table(70)), 4);
    QCOMPARE(tier.cache.count_held(table(64)), 4);
  }

  void restore_bringsBackInOrder() {
    Tier tier(20);
    tier.compute(table(70));
    tier.compute(table(90, 1000));
    tier.cache.take_copies();
    BlockTable again = table(80);
    const auto restored = tier.cache.restore(again, INT_MAX);
    QCOMPARE(restored.blocks, 4);
    QVERIFY(restored.is_whole);
    QCOMPARE(tier.cache.num_restored(), uint64_t{4});
    QCOMPARE(tier.cache.pool().num_free(), 6);
    tier.cache.match_prefix(again);
    QCOMPARE(again.num_computed(), 64);
    const auto copies = tier.cache.take_copies();
    int index = 0;
    for (const BlockCopy& copy : copies) {
      if (copy.kind != Kind::kFromHost) continue;
      QCOMPARE(copy.to, again.blocks()[index]);
      QCOMPARE(copy.from, *tier.host.find(again.keys()[index], again.parent_key(index),
                                          again.block_tokens(index)));
      ++index;
    }
    QCOMPARE(index, 4);
    // What they took the place of is kept, before they come.
    QCOMPARE(tier.count(copies, Kind::kToHost), 3);  // One of the six was not full, two were left.
    tier.cache.release(again);
    QCOMPARE(tier.cache.restore(again, INT_MAX).blocks, 0);
  }

  void restore_comesInPortions() {
    Tier tier(20);
    tier.compute(table(90));
    tier.compute(table(90, 1000));
    const BlockTable again = table(90);
    const auto first = tier.cache.restore(again, 2);
    QCOMPARE(first.blocks, 2);
    QVERIFY(!first.is_whole);
    QCOMPARE(tier.cache.count_matching(again).blocks, 2);
    QVERIFY(!tier.cache.restore(again, 0).is_whole);
    const auto last = tier.cache.restore(again, 3);
    QCOMPARE(last.blocks, 3);
    QVERIFY(last.is_whole);
    QCOMPARE(tier.cache.count_matching(again).blocks, 5);
  }

  void restore_stopsWhereThePoolIsFull() {
    Tier tier(20);
    tier.compute(table(90));
    tier.compute(table(90, 1000));
    BlockTable busy = table(60, 5000);
    QVERIFY(tier.cache.reserve(busy, 60));
    const auto restored = tier.cache.restore(table(90), INT_MAX);
    QCOMPARE(restored.blocks, 2);
    QVERIFY(restored.is_whole);
    QCOMPARE(tier.cache.pool().num_free(), 2);
  }

  void littleHostMemory_keepsTheBeginning() {
    Tier tier(2);
    tier.compute(table(90));
    tier.compute(table(90, 1000));
    // Its tail went first, so that its beginning was the last to come.
    QCOMPARE(tier.cache.count_held(table(90)), 2);
    tier.cache.take_copies();
    // To bring one back another must go, of which host memory keeps the beginning at most.
    const auto restored = tier.cache.restore(table(90), INT_MAX);
    QVERIFY(restored.blocks >= 1);
    QVERIFY(restored.is_whole);
    QCOMPARE(tier.host.num_blocks(), 2);
    QCOMPARE(tier.cache.pool().num_free(), 6);
  }

  void forgetAll_leavesNothing() {
    Tier tier(20);
    tier.compute(table(90));
    tier.compute(table(90, 1000));
    tier.cache.forget_all();
    QVERIFY(tier.cache.take_copies().empty());
    QCOMPARE(tier.cache.count_held(table(90)), 0);
    QCOMPARE(tier.cache.count_held(table(90, 1000)), 0);
    QCOMPARE(tier.cache.index().num_full(), size_t{0});
    QCOMPARE(tier.cache.pool().num_free(), 6);
  }
};

QTEST_APPLESS_MAIN(TestBlockCacheHost)
#include "tst_block_cache_host.moc"
