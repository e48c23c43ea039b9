#include <QTest>

#include <numeric>

#include "engine/cache/block_cache.h"

using namespace quire;

namespace {

std::vector<int32_t> tokens(int count, int first = 0) {
  std::vector<int32_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

BlockTable table(std::vector<int32_t> ids, const char* scope = "model") {
  return BlockTable(root_key(scope), std::move(ids));
}

void compute_all(BlockCache& cache, BlockTable& t) {
  QVERIFY(cache.reserve(t, t.num_tokens()));
  cache.mark_computed(t, t.num_tokens());
}

}  // namespace

class TestBlockCache : public QObject {
  Q_OBJECT

 private slots:
  void matchPrefix_sharesFullBlocks() {
    BlockCache cache(8);
    BlockTable a = table(tokens(40));
    compute_all(cache, a);
    BlockTable b = table(tokens(40));
    cache.match_prefix(b);
    QCOMPARE(b.num_computed(), 32);
    QCOMPARE(b.blocks()[0], a.blocks()[0]);
    QCOMPARE(cache.pool().ref_count(a.blocks()[1]), 2);
    QCOMPARE(cache.pool().ref_count(a.blocks()[2]), 1);
  }

  void matchPrefix_leavesATokenToCompute() {
    BlockCache cache(8);
    BlockTable a = table(tokens(32));
    compute_all(cache, a);
    BlockTable b = table(tokens(32));
    cache.match_prefix(b);
    QCOMPARE(b.num_computed(), 16);
  }

  void matchPrefix_afterReleaseUntilTaken() {
    BlockCache cache(4);
    BlockTable a = table(tokens(50));
    compute_all(cache, a);
    cache.release(a);
    QCOMPARE(cache.pool().num_free(), 4);
    BlockTable other = table(tokens(32, 1000));  // Takes the partial block, then the tail.
    QVERIFY(cache.reserve(other, 32));
    BlockTable b = table(tokens(50));
    QCOMPARE(cache.count_matching(b).blocks, 2);
    QCOMPARE(cache.count_matching(b).free_blocks, 2);
    cache.match_prefix(b);
    QCOMPARE(b.num_computed(), 32);
  }

  void matchPrefix_stopsAtTheFirstDifference() {
    BlockCache cache(8);
    BlockTable a = table(tokens(64));
    compute_all(cache, a);
    auto changed = tokens(64);
    changed[20] = 999;
    BlockTable b = table(changed);
    cache.match_prefix(b);
    QCOMPARE(b.num_computed(), 16);
  }

  void matchPrefix_dependsOnScope() {
    BlockCache cache(8);
    BlockTable a = table(tokens(40), "model f32");
    compute_all(cache, a);
    BlockTable b = table(tokens(40), "model f16");
    QCOMPARE(cache.count_matching(b).blocks, 0);
  }

  void matchPrefix_offSharesNothing() {
    BlockCache cache(8, /*share_prefixes=*/false);
    BlockTable a = table(tokens(40));
    compute_all(cache, a);
    BlockTable b = table(tokens(40));
    cache.match_prefix(b);
    QCOMPARE(b.num_computed(), 0);
    QCOMPARE(cache.index().size(), size_t{0});
  }

  void markComputed_sharesWhatAnotherComputedFirst() {
    BlockCache cache(8);
    BlockTable a = table(tokens(40)), b = table(tokens(40));
    QVERIFY(cache.reserve(a, 40) && cache.reserve(b, 40));
    QCOMPARE(cache.pool().num_free(), 2);
    cache.mark_computed(a, 40);
    cache.mark_computed(b, 40);
    QCOMPARE(b.blocks()[1], a.blocks()[1]);
    QVERIFY(b.blocks()[2] != a.blocks()[2]);
    QCOMPARE(cache.pool().num_free(), 4);
  }

  void generatedTokens_areSharedToo() {
    BlockCache cache(8);
    BlockTable a = table(tokens(10));
    for (int i = 10; i < 40; ++i) {
      compute_all(cache, a);
      a.append(i);
    }
    cache.release(a);
    BlockTable next_turn = table(tokens(45));
    cache.match_prefix(next_turn);
    QCOMPARE(next_turn.num_computed(), 32);
  }

  void reserve_takesAllOrNothing() {
    BlockCache cache(3);
    BlockTable a = table(tokens(100));
    QVERIFY(!cache.reserve(a, 49));
    QCOMPARE(cache.pool().num_free(), 3);
    QVERIFY(cache.reserve(a, 48));
    QVERIFY(cache.reserve(a, 48));
    QCOMPARE(cache.pool().num_free(), 0);
  }

  void eviction_takesTailsBeforeHeads() {
    BlockCache cache(4);
    BlockTable a = table(tokens(64));
    compute_all(cache, a);
    const std::vector<BlockId> blocks = a.blocks();
    cache.release(a);
    BlockTable b = table(tokens(16, 500));
    QVERIFY(cache.reserve(b, 16));
    QCOMPARE(b.blocks()[0], blocks[3]);
    QVERIFY(!cache.index().contains(blocks[3]));
    QVERIFY(cache.index().contains(blocks[0]));
  }
};

QTEST_APPLESS_MAIN(TestBlockCache)
#include "tst_block_cache.moc"
