// StateCache: where the recurrent states of sequences are kept, and where others go on from them.

#include <QTest>
#include <numeric>

#include "engine/cache/block_cache.h"

using namespace quire;

namespace {

constexpr int kPersona = 100;  ///< Tokens: a boundary at 96.

/// A cache with room for everything, and sequences computed in one step each.
struct Cache {
  explicit Cache(const StateCacheSizes& sizes) : cache(200, true, nullptr, sizes) {}

  static BlockTable table(int num_tokens, int first_token = 0, const BlockOwner& owner = {}) {
    std::vector<int32_t> tokens(static_cast<size_t>(num_tokens));
    std::iota(tokens.begin(), tokens.end(), first_token);
    return BlockTable(root_key("test"), std::move(tokens), owner);
  }
  StateRows plan(BlockTable& table) {
    const int begin = table.num_computed();
    if (!cache.reserve(table, table.num_tokens())) qFatal("no room");
    return cache.plan_states(table, begin, table.num_tokens() - begin);
  }
  void compute(BlockTable& table) {
    plan(table);
    cache.mark_computed(table, table.num_tokens());
  }
  void decode(BlockTable& table, int num_tokens) {
    for (int i = 0; i < num_tokens; ++i) {
      table.append(1000 + i);
      compute(table);
    }
  }
  /// Where a sequence of these tokens would go on.
  int resume(const BlockTable& table) { return cache.count_matching(table).blocks * kBlockSize; }
  int num_snapshots() const { return static_cast<int>(cache.states().pool().index().num_full()); }

  BlockCache cache;
};

}  // namespace

class TestStateCache : public QObject {
  Q_OBJECT

 private slots:
  void promptOfEveryLength_resumesBeforeItsLastToken() {
    for (int length = 17; length < 17 + 2 * kBlockSize; ++length) {
      Cache cache({.num_slots = 9});
      BlockTable first = cache.table(length);
      cache.compute(first);
      cache.decode(first, 40);
      cache.cache.release(first);
      QCOMPARE(cache.resume(cache.table(length)), (length - 1) / kBlockSize * kBlockSize);
    }
  }

  void persona_isResumedByAnotherChat() {
    Cache cache({.num_slots = 9});
    const BlockOwner owner = {.chat = 1, .shared_tokens = kPersona};
    BlockTable first = cache.table(150, 0, owner);
    cache.compute(first);
    auto tokens = first.tokens();
    std::fill(tokens.begin() + kPersona, tokens.end(), 7);
    BlockTable second(root_key("test"), tokens, {.chat = 2, .shared_tokens = kPersona});
    cache.cache.match_prefix(second);
    QCOMPARE(second.num_computed(), 96);
    const StateRows rows = cache.plan(second);
    QVERIFY(rows.in >= 0);
    QVERIFY(rows.segments.back().out != rows.in);
    QCOMPARE(rows.segments.back().end, 150);
  }

  void answer_keepsItsLastSnapshotAlone() {
    Cache cache({.num_slots = 20});
    BlockTable chat = cache.table(40);  // A snapshot at 32.
    cache.compute(chat);
    cache.decode(chat, 60);  // And at 96 alone, not at 48, 64 and 80.
    QCOMPARE(cache.num_snapshots(), 2);
    auto tokens = chat.tokens();
    cache.cache.release(chat);
    tokens.resize(120, 5);
    QCOMPARE(cache.resume(BlockTable(root_key("test"), tokens)), 96);
  }

  void answerThatEndsAtABlock_isResumedThere() {
    Cache cache({.num_slots = 9});
    BlockTable chat = cache.table(40);
    cache.compute(chat);
    cache.decode(chat, 8);
    QCOMPARE(chat.num_computed(), 48);
    auto tokens = chat.tokens();
    cache.cache.release(chat);
    tokens.resize(60, 5);
    QCOMPARE(cache.resume(BlockTable(root_key("test"), tokens)), 48);
  }

  void rowsThatWereNotComputed_leaveNoSnapshot() {
    Cache cache({.num_slots = 20, .stride = 16});
    BlockTable chat = cache.table(200);
    const StateRows rows = cache.plan(chat);
    QVERIFY(rows.segments.size() > 5);
    cache.cache.release(chat);
    QCOMPARE(cache.num_snapshots(), 0);
    QCOMPARE(cache.cache.states().pool().pool().num_free(), 20);
  }

  void stride_boundsWhatAForkComputes() {
    Cache cache({.num_slots = 40, .stride = 64});
    BlockTable chat = cache.table(1000);
    cache.compute(chat);
    for (int fork = 1; fork < 1000; fork += 13) {
      auto tokens = chat.tokens();
      tokens.resize(static_cast<size_t>(fork));
      tokens.push_back(7);
      const int matched = fork / kBlockSize * kBlockSize;
      QVERIFY(cache.resume(BlockTable(root_key("test"), tokens)) > matched - 64);
    }
  }

  void branch_isComputedOnce() {
    Cache cache({.num_slots = 20});
    BlockTable first = cache.table(300);
    cache.compute(first);
    const auto branch = [&](int32_t token) {
      auto tokens = first.tokens();
      tokens.resize(200);
      tokens.insert(tokens.end(), 100, token);
      return BlockTable(root_key("test"), tokens);
    };
    BlockTable second = branch(5);
    QCOMPARE(cache.cache.count_matching(second).blocks, 0);
    QCOMPARE(cache.cache.count_matching(second).cut_blocks, 12);
    cache.cache.match_prefix(second);
    cache.compute(second);
    QCOMPARE(cache.resume(branch(6)), 192);
  }

  void pinnedPersona_keepsItsState() {
    Cache cache({.num_slots = 5});
    BlockTable persona = cache.table(kPersona);
    cache.compute(persona);
    cache.cache.release(persona);
    QCOMPARE(cache.cache.set_pinned(cache.table(kPersona), true), 96);
    for (int i = 1; i < 30; ++i) {
      BlockTable other = cache.table(60, 5000 * i);
      cache.compute(other);
      cache.decode(other, 20);
      cache.cache.release(other);
    }
    BlockTable again = cache.table(kPersona + 20);
    QCOMPARE(cache.resume(again), 96);
  }

  void sequencesAtTheBound_alwaysFindSlots() {
    Cache cache({.num_slots = 7, .stride = 16});
    QCOMPARE(cache.cache.states().max_sequences(), 3);
    std::vector<BlockTable> chats;
    for (int i = 0; i < 3; ++i) chats.push_back(cache.table(47 + i, 3000 * i));
    for (int step = 0; step < 60; ++step) {
      for (BlockTable& chat : chats) cache.plan(chat);
      for (BlockTable& chat : chats) {
        cache.cache.mark_computed(chat, chat.num_tokens());
        chat.append(step);
      }
    }
    for (BlockTable& chat : chats) cache.cache.release(chat);
    QCOMPARE(cache.cache.states().pool().pool().num_free(), 7);
  }

  void evictedBlock_takesItsSnapshotAlong() {
    BlockCache cache(10, true, nullptr, {.num_slots = 20});
    BlockTable chat = Cache::table(150);
    QVERIFY(cache.reserve(chat, 150));
    cache.plan_states(chat, 0, 150);
    cache.mark_computed(chat, 150);
    cache.release(chat);
    QCOMPARE(cache.states().pool().index().num_full(), size_t{1});
    BlockTable other = Cache::table(160, 5000);
    QVERIFY(cache.reserve(other, 160));
    QCOMPARE(cache.states().pool().index().num_full(), size_t{0});
  }

  void storedSnapshot_isAdopted() {
    Cache cache({.num_slots = 5});
    const BlockTable chat = cache.table(64);
    const auto slot = cache.cache.states().adopt(chat, 2);
    QVERIFY(slot.has_value());
    QVERIFY(!cache.cache.states().adopt(chat, 2).has_value());
    QCOMPARE(cache.cache.states().last_resume(chat, 4), 3);
    cache.cache.states().disown(*slot);
    QCOMPARE(cache.cache.states().last_resume(chat, 4), 0);
  }
};

QTEST_APPLESS_MAIN(TestStateCache)
#include "tst_state_cache.moc"
