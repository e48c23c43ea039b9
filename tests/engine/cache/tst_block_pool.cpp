#include <QTest>

#include <random>
#include <set>

#include "engine/cache/block_pool.h"

using namespace quire;

class TestBlockPool : public QObject {
  Q_OBJECT

 private slots:
  void take_givesEachBlockOnce() {
    BlockPool pool(5);
    std::set<BlockId> taken;
    for (int i = 0; i < 5; ++i) taken.insert(*pool.allocate());
    QCOMPARE(taken.size(), size_t{5});
    QCOMPARE(*taken.begin(), 0);
    QCOMPARE(*taken.rbegin(), 4);
    QVERIFY(!pool.allocate());
    QCOMPARE(pool.num_free(), 0);
  }

  void take_prefersWorthlessThenOldest() {
    BlockPool pool(3);
    const BlockId a = *pool.allocate(), b = *pool.allocate(), c = *pool.allocate();
    pool.release(b, BlockWorth::kChat);
    pool.release(a, BlockWorth::kChat);
    pool.release(c, BlockWorth::kNone);
    QCOMPARE(*pool.allocate(), c);
    QCOMPARE(*pool.allocate(), b);
    QCOMPARE(*pool.allocate(), a);
  }

  void take_prefersTheLeastWorth() {
    BlockPool pool(5);
    std::vector<BlockId> blocks;
    for (int i = 0; i < 5; ++i) blocks.push_back(*pool.allocate());
    for (int i = 4; i >= 0; --i) pool.release(blocks[i], static_cast<BlockWorth>(i));
    for (int i = 0; i < 5; ++i) QCOMPARE(*pool.allocate(), blocks[i]);
  }

  void take_leavesPersonasHalfOfThePool() {
    BlockPool pool(8);
    std::vector<BlockId> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(*pool.allocate());
    for (int i = 0; i < 5; ++i) pool.release(blocks[i], BlockWorth::kPersona);
    for (int i = 5; i < 8; ++i) pool.release(blocks[i], BlockWorth::kChat);
    QCOMPARE(*pool.allocate(), blocks[0]);  // The oldest of five personas' blocks.
    QCOMPARE(*pool.allocate(), blocks[5]);
    QCOMPARE(pool.free_blocks(BlockWorth::kPersona).size(), size_t{4});
  }

  void setWorth_movesAFreeBlock() {
    BlockPool pool(2);
    const BlockId a = *pool.allocate(), b = *pool.allocate();
    pool.release(a, BlockWorth::kChat);
    pool.release(b, BlockWorth::kChat);
    pool.set_worth(a, BlockWorth::kPinned);
    QCOMPARE(pool.worth(a), BlockWorth::kPinned);
    QCOMPARE(pool.num_free(), 2);
    QCOMPARE(*pool.allocate(), b);
    QCOMPARE(*pool.allocate(), a);
  }

  void retain_savesAFreeBlock() {
    BlockPool pool(2);
    const BlockId a = *pool.allocate();
    pool.release(a, BlockWorth::kNone);
    pool.retain(a);
    QCOMPARE(pool.ref_count(a), 1);
    QVERIFY(*pool.allocate() != a);
    QVERIFY(!pool.allocate());
  }

  void release_keepsSharedBlocks() {
    BlockPool pool(1);
    const BlockId a = *pool.allocate();
    pool.retain(a);
    pool.release(a, BlockWorth::kChat);
    QVERIFY(!pool.allocate());
    pool.release(a, BlockWorth::kChat);
    QCOMPARE(*pool.allocate(), a);
  }

  void randomOperations_keepCounts() {
    std::mt19937 random(20261121);
    BlockPool pool(17);
    std::vector<BlockId> held;
    for (int i = 0; i < 20000; ++i) {
      const auto action = random() % 3;
      if (action == 0) {
        const auto block = pool.allocate();
        QCOMPARE(block.has_value(), std::set(held.begin(), held.end()).size() < 17);
        if (block) {
          QVERIFY(std::find(held.begin(), held.end(), *block) == held.end());
          held.push_back(*block);
        }
      } else if (!held.empty()) {
        const size_t index = random() % held.size();
        if (action == 1) {
          pool.retain(held[index]);
          held.push_back(held[index]);
        } else {
          pool.release(held[index], static_cast<BlockWorth>(random() % kNumBlockWorths));
          held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
        }
      }
      const std::set<BlockId> distinct(held.begin(), held.end());
      QCOMPARE(pool.num_free(), 17 - static_cast<int>(distinct.size()));
    }
  }
};

QTEST_APPLESS_MAIN(TestBlockPool)
#include "tst_block_pool.moc"
