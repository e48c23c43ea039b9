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

BlockTable table(std::vector<int32_t> ids, const char* scope = "model",
                 const BlockOwner& owner = {}) {
  return BlockTable(root_key(scope), std::move(ids), owner);
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
    QCOMPARE(b.blocks()[0], a.blocks()[0]);
    QCOMPARE(cache.pool().ref_count(a.blocks()[1]), 2);
    QCOMPARE(cache.pool().ref_count(a.blocks()[2]), 1);
  }

  void matchPrefix_copiesABlockThatIsSharedInPart() {
    BlockCache cache(8);
    BlockTable a = table(tokens(40));
    compute_all(cache, a);
    BlockTable b = table(tokens(44));
    const auto copies = cache.match_prefix(b);
    QCOMPARE(copies.size(), size_t{1});
    QCOMPARE(copies[0].from, a.blocks()[2]);
    QCOMPARE(copies[0].to, b.blocks()[2]);
    QCOMPARE(b.num_computed(), 40);
    // Each goes on in a block of its own, and the next one chooses what fits best.
    compute_all(cache, b);
    BlockTable c = table(tokens(43));
    QCOMPARE(cache.match_prefix(c).at(0).from, b.blocks()[2]);
    QCOMPARE(c.num_computed(), 42);
  }

  void matchPrefix_takesThePartialBlockThatNobodyHolds() {
    BlockCache cache(4);
    BlockTable a = table(tokens(40));
    compute_all(cache, a);
    const std::vector<BlockId> blocks = a.blocks();
    cache.release(a);
    BlockTable next_turn = table(tokens(60));
    QVERIFY(cache.match_prefix(next_turn).empty());
    QCOMPARE(next_turn.blocks(), blocks);
    QCOMPARE(next_turn.num_computed(), 40);
    compute_all(cache, next_turn);
    QCOMPARE(next_turn.blocks()[2], blocks[2]);
  }

  void matchPrefix_copiesAPartialBlockOfWhichOnlyTheBeginningIsWanted() {
    BlockCache cache(8);
    BlockTable a = table(tokens(40));
    compute_all(cache, a);
    cache.release(a);
    auto changed = tokens(40);
    changed[36] = 999;
    BlockTable b = table(changed);
    QVERIFY(!cache.match_prefix(b).empty());
    QCOMPARE(b.num_computed(), 36);
    compute_all(cache, b);
    BlockTable again = table(tokens(40));
    cache.match_prefix(again);
    QCOMPARE(again.num_computed(), 39);
  }

  void matchPrefix_leavesATokenToCompute() {
    BlockCache cache(8);
    BlockTable a = table(tokens(32));
    compute_all(cache, a);
    BlockTable b = table(tokens(32));
    const auto copies = cache.match_prefix(b);
    QCOMPARE(b.num_computed(), 31);
    QCOMPARE(copies.at(0).from, a.blocks()[1]);
    // Once its last token is computed, it shares the block and gives the copy back.
    cache.mark_computed(b, 32);
    QCOMPARE(b.blocks(), a.blocks());
    QCOMPARE(cache.pool().num_free(), 6);
    BlockTable c = table(tokens(33));
    QVERIFY(cache.match_prefix(c).empty());
    QCOMPARE(c.num_computed(), 32);
  }

  void matchPrefix_doesWithoutTheCopyWhereNoBlockIsFree() {
    BlockCache cache(2);
    BlockTable a = table(tokens(20));
    compute_all(cache, a);
    BlockTable b = table(tokens(20));
    QVERIFY(cache.match_prefix(b).empty());
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
    QCOMPARE(b.blocks().size(), size_t{2});
  }

  void matchPrefix_stopsAtTheFirstDifference() {
    BlockCache cache(8);
    BlockTable a = table(tokens(64));
    compute_all(cache, a);
    auto changed = tokens(64);
    changed[20] = 999;
    BlockTable b = table(changed);
    cache.match_prefix(b);
    QCOMPARE(b.num_computed(), 20);
    QCOMPARE(b.blocks()[0], a.blocks()[0]);
    QVERIFY(b.blocks()[1] != a.blocks()[1]);
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
    QCOMPARE(cache.index().num_full(), size_t{0});
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
    QCOMPARE(next_turn.num_computed(), 39);  // The last of the 40 was never computed.
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

  void eviction_keepsPersonasAndOpenChatsLonger() {
    BlockCache cache(6);
    BlockTable persona = table(tokens(40), "model", {.chat = 1, .shared_tokens = 16});
    BlockTable other = table(tokens(32, 500), "model", {.chat = 2});
    compute_all(cache, persona);
    compute_all(cache, other);
    const auto ours = persona.blocks(), theirs = other.blocks();
    cache.set_chat_open(1, true);
    cache.release(persona);
    cache.release(other);
    const auto taken = [&] {
      BlockTable one = table(tokens(1, 900));
      cache.reserve(one, 1);
      return one.blocks()[0];
    };
    taken();  // The one that held nothing.
    QCOMPARE(taken(), theirs[1]);
    cache.set_chat_open(2, true);
    QCOMPARE(taken(), ours[2]);
    cache.set_chat_open(1, false);
    QCOMPARE(taken(), ours[1]);
    QCOMPARE(taken(), theirs[0]);
    QCOMPARE(taken(), ours[0]);
  }

  void pinned_isTakenLast() {
    BlockCache cache(4);
    BlockTable a = table(tokens(33)), b = table(tokens(32, 500), "model", {.shared_tokens = 32});
    compute_all(cache, a);
    cache.release(a);
    QCOMPARE(cache.set_pinned(a, true), 32);
    compute_all(cache, b);
    cache.release(b);
    BlockTable taking = table(tokens(32, 900));
    QVERIFY(cache.reserve(taking, 32));
    QCOMPARE(cache.count_matching(a).blocks, 2);
    QCOMPARE(cache.set_pinned(a, false), 32);
    cache.release(taking);
  }

  void lastBlockThatIsFull_isHeldAndPinned() {
    BlockCache cache(4);
    BlockTable a = table(tokens(32));
    compute_all(cache, a);
    cache.release(a);
    QCOMPARE(cache.count_held(a), 2);
    QCOMPARE(cache.set_pinned(a, true), 32);
    QCOMPARE(cache.pool().free_blocks(BlockWorth::kPinned).size(), size_t{2});
    // A match still leaves a token to compute.
    QCOMPARE(cache.count_matching(a).blocks, 1);
    QCOMPARE(cache.set_pinned(a, false), 32);
  }

  void adopt_keepsTheHeadOfItsOwnChat() {
    BlockCache cache(8);
    BlockTable chat = table(tokens(128));
    compute_all(cache, chat);
    std::vector<StoredBlock> tail;
    for (int i = 3; i < 8; ++i) {
      tail.push_back({.key = chat.keys()[i], .parent = chat.parent_key(i)});
      std::ranges::copy(chat.block_tokens(i), tail.back().tokens.begin());
    }
    cache.release(chat);
    // Others take the tail; the head is now what was used longest ago.
    BlockTable other = table(tokens(80, 1000));
    compute_all(cache, other);
    cache.release(other);
    BlockTable again = table(tokens(129));
    QCOMPARE(cache.count_matching(again).blocks, 3);
    cache.adopt(tail, again, 3);
    QCOMPARE(cache.count_matching(again).blocks, 8);
  }

  void disown_forgetsWhatWasNotWritten() {
    BlockCache cache(4);
    const BlockTable wanted = table(tokens(20));
    StoredBlock stored{.key = wanted.keys()[0], .parent = wanted.parent_key(0)};
    std::ranges::copy(wanted.block_tokens(0), stored.tokens.begin());
    const auto places = cache.adopt(std::span(&stored, 1), wanted, 0);
    QCOMPARE(cache.count_matching(wanted).blocks, 1);
    cache.disown(*places[0]);
    QCOMPARE(cache.count_matching(wanted).blocks, 0);
    QCOMPARE(cache.pool().num_free(), 4);
  }

  void adopt_namesWhatComesFromElsewhere() {
    BlockCache cache(4);
    const BlockTable wanted = table(tokens(50));
    std::vector<StoredBlock> stored(3);
    for (int i = 0; i < 3; ++i) {
      stored[i] = {.key = wanted.keys()[i], .parent = wanted.parent_key(i)};
      std::ranges::copy(wanted.block_tokens(i), stored[i].tokens.begin());
    }
    const auto places = cache.adopt(stored, wanted, 0);
    QCOMPARE(places.size(), size_t{3});
    QVERIFY(places[0] && places[1] && places[2]);
    QCOMPARE(cache.pool().num_free(), 4);
    for (const auto& place : cache.adopt(stored, wanted, 0)) QVERIFY(!place);
    BlockTable b = table(tokens(50));
    cache.match_prefix(b);
    QCOMPARE(b.blocks(), (std::vector<BlockId>{*places[0], *places[1], *places[2]}));
    // Where only some are free, it takes the leading ones.
    cache.release(b);
    BlockTable busy = table(tokens(40, 700));
    compute_all(cache, busy);
    const auto fewer = cache.adopt(stored, wanted, 0);
    QVERIFY(!fewer[2]);
    QVERIFY(cache.index().find(stored[0].key, stored[0].parent, stored[0].tokens));
  }
};

QTEST_APPLESS_MAIN(TestBlockCache)
#include "tst_block_cache.moc"
