// WindowCache: which parts of blocks sequences hold, which stay, and where others go on.

#include <QTest>
#include <numeric>

#include "engine/cache/block_cache.h"

using namespace quire;

namespace {

constexpr int kWindow = 40;

/// A cache with that many slots beside slot 0, and sequences computed in steps of some rows.
struct Cache {
  explicit Cache(int num_slots, int num_blocks = 400)
      : cache(num_blocks, true, nullptr, {}, {.num_slots = num_slots + 1, .window = kWindow}) {}

  static BlockTable table(int num_tokens, int first_token = 0, const BlockOwner& owner = {}) {
    std::vector<int32_t> tokens(static_cast<size_t>(num_tokens));
    std::iota(tokens.begin(), tokens.end(), first_token);
    return BlockTable(root_key("test"), std::move(tokens), owner);
  }
  void compute(BlockTable& table, int rows = 32) {
    while (table.num_uncomputed() > 0) {
      const int end = std::min(table.num_tokens(), table.num_computed() + rows);
      if (!cache.reserve(table, end)) qFatal("no room");
      cache.mark_computed(table, end);
    }
  }
  void decode(BlockTable& table, int num_tokens) {
    for (int i = 0; i < num_tokens; ++i) {
      table.append(100000 + i);
      compute(table);
    }
  }
  /// A chat that was computed and ended.
  void finish(BlockTable table, int answer = 0) {
    cache.match_prefix(table);
    compute(table);
    decode(table, answer);
    cache.release(table);
  }
  int resume(const BlockTable& table) { return cache.count_matching(table).blocks * kBlockSize; }
  const WindowCache& windows() const { return cache.windows(); }

  BlockCache cache;
};

}  // namespace

class TestWindowCache : public QObject {
  Q_OBJECT

 private slots:
  void runningSequence_holdsItsWindowAlone() {
    Cache cache(100);
    BlockTable chat = Cache::table(1000);
    for (int end = 32; end < 1000; end += 32) {
      QVERIFY(cache.cache.reserve(chat, end));
      cache.cache.mark_computed(chat, end);
      // Row `end` sees the 39 tokens before it.
      QCOMPARE(chat.windows().first, std::max(0, end - kWindow + 1) / kBlockSize);
      QVERIFY(WindowCache::num_held(chat) <= 4);
      for (int i = 0; i < blocks_for(end); ++i) {
        QCOMPARE(chat.windows().held[static_cast<size_t>(i)] != 0, i >= chat.windows().first);
      }
    }
  }

  void leastSlots_sufficeForAnyPosition() {
    for (const int rows : {1, 7, 16, 100}) {
      for (const int first : {1, 15, 16, 17}) {
        Cache cache(WindowCacheSizes::least_slots(kWindow, rows) - 1);
        BlockTable chat = Cache::table(first);
        cache.compute(chat, rows);
        for (int i = 0; i < 600; ++i) chat.append(i);
        cache.compute(chat, rows);
        QCOMPARE(chat.num_uncomputed(), 0);
      }
    }
  }

  void slotsThatAreHeld_refuseMore() {
    Cache cache(5);
    BlockTable a = Cache::table(48), b = Cache::table(48, 5000);
    QVERIFY(cache.cache.reserve(a, 48));
    QVERIFY(!cache.cache.reserve(b, 48));
    QVERIFY(b.blocks().empty());
    cache.cache.release(a);
    QVERIFY(cache.cache.reserve(b, 48));
  }

  void shortChats_loseNothing() {
    Cache cache(100);
    for (int chat = 0; chat < 10; ++chat) cache.finish(Cache::table(90, 1000 * chat), 20);
    for (int chat = 0; chat < 10; ++chat) {
      QCOMPARE(cache.resume(Cache::table(90, 1000 * chat)), 80);
    }
  }

  void chatThatIsLongerThanItsSlots_isResumedAtItsTurns() {
    // Slots for eight windows, and forty windows of tokens.
    Cache cache(40);
    BlockTable chat = Cache::table(800);
    cache.compute(chat);
    cache.decode(chat, 800);
    const std::vector<int32_t> tokens = chat.tokens();
    cache.cache.release(chat);
    const auto beginning = [&](size_t count) {
      auto first = std::vector<int32_t>(tokens.begin(), tokens.begin() + std::ptrdiff_t(count));
      first.push_back(7);
      return BlockTable(root_key("test"), first);
    };
    QCOMPARE(cache.resume(Cache::table(800)), 784);  // Another answer.
    QCOMPARE(cache.resume(beginning(1600)), 1600);   // A next turn.
    // A fork elsewhere, once: its branch is kept.
    BlockTable fork = beginning(903);
    QVERIFY(cache.resume(fork) < 896);
    const auto copies = cache.cache.match_prefix(fork);
    QVERIFY(copies.empty());
    QVERIFY(fork.states().num_cut > 0);
    cache.compute(fork);
    cache.cache.release(fork);
    QCOMPARE(cache.resume(beginning(903)), 896);
  }

  void persona_isResumedByOtherChats() {
    Cache cache(40);
    constexpr int kPersona = 500;
    for (int chat = 1; chat < 20; ++chat) {
      auto tokens = Cache::table(kPersona).tokens();
      tokens.insert(tokens.end(), 700, 5000 * chat);
      BlockTable table(root_key("test"), tokens, {.chat = chat, .shared_tokens = kPersona});
      cache.cache.match_prefix(table);
      // Up to its last, partial block, also of chats that went on long ago.
      QCOMPARE(table.num_computed(), chat == 1 ? 0 : kPersona);
      cache.compute(table);
      cache.decode(table, 30);
      cache.cache.release(table);
    }
  }

  void pinnedPersona_keepsItsWindow() {
    Cache cache(20);
    cache.finish(Cache::table(200));
    QCOMPARE(cache.cache.set_pinned(Cache::table(200), true), 192);
    for (int i = 1; i < 30; ++i) cache.finish(Cache::table(300, 5000 * i), 20);
    QCOMPARE(cache.resume(Cache::table(210)), 192);
    cache.cache.set_pinned(Cache::table(200), false);
    for (int i = 1; i < 30; ++i) cache.finish(Cache::table(300, 5000 * i), 20);
    QCOMPARE(cache.resume(Cache::table(210)), 0);
  }

  void openChats_keepTheirWindows() {
    Cache cache(40);
    cache.cache.set_chat_open(1, true);
    cache.finish(Cache::table(300, 0, {.chat = 1}), 20);
    for (int i = 2; i < 30; ++i) cache.finish(Cache::table(300, 5000 * i, {.chat = i}), 20);
    QCOMPARE(cache.resume(Cache::table(300)), 288);
    QVERIFY(cache.resume(Cache::table(300, 5000 * 2)) < 288);
  }

  void headsOfAWindow_goFirst() {
    Cache cache(8);
    cache.finish(Cache::table(64));
    QCOMPARE(cache.windows().num_cached(), 4);
    // Slots for five blocks: one of the four parts goes.
    BlockTable other = Cache::table(80, 5000);
    QVERIFY(cache.cache.reserve(other, 80));
    const BlockTable chat = Cache::table(64);
    for (int i = 0; i < 4; ++i) QCOMPARE(cache.cache.has_window(chat, i, false), i > 0);
    QCOMPARE(cache.resume(Cache::table(70)), 64);
  }

  void evictedBlock_takesItsPartAlong() {
    Cache cache(20, /*num_blocks=*/6);
    cache.finish(Cache::table(60));
    QCOMPARE(cache.windows().num_cached(), 4);
    BlockTable other = Cache::table(96, 5000);
    QVERIFY(cache.cache.reserve(other, 96));
    QCOMPARE(cache.windows().num_cached(), 0);
    QCOMPARE(cache.windows().num_free(), 14);
  }

  void sameBlock_isSharedWithItsPart() {
    Cache cache(40);
    BlockTable a = Cache::table(64), b = Cache::table(64);
    QVERIFY(cache.cache.reserve(a, 64) && cache.cache.reserve(b, 64));
    cache.cache.mark_computed(a, 64);
    cache.cache.mark_computed(b, 64);
    QCOMPARE(a.blocks(), b.blocks());
    QCOMPARE(a.windows().held, b.windows().held);
    QCOMPARE(cache.windows().num_free(), 37);  // Nobody needs the first one any more.
    cache.cache.release(a);
    cache.cache.release(b);
    QCOMPARE(cache.windows().num_free(), 40);
    QCOMPARE(cache.windows().num_cached(), 4);
  }

  void blockWithoutItsPart_getsTheOneComputedAgain() {
    Cache cache(12);
    cache.finish(Cache::table(400));
    cache.finish(Cache::table(180, 5000));  // Takes the slots of the first one's middle.
    BlockTable again = Cache::table(200);
    cache.cache.match_prefix(again);
    const int resumed = again.num_computed();
    QVERIFY(resumed < 192);
    cache.compute(again);
    const BlockTable whole = Cache::table(200);
    for (int i = 9; i < 12; ++i) QVERIFY(cache.cache.has_window(whole, i, false));
    QCOMPARE(static_cast<int>(cache.cache.index().num_full()), 25 + 11);
    cache.cache.release(again);
  }

  void partFromAStore_isAdopted() {
    Cache cache(3);
    BlockTable chat = Cache::table(48);
    std::vector<StoredBlock> stored;
    for (int i = 0; i < 3; ++i) {
      StoredBlock block{.key = chat.keys()[static_cast<size_t>(i)], .parent = chat.parent_key(i)};
      std::ranges::copy(chat.block_tokens(i), block.tokens.begin());
      stored.push_back(block);
    }
    cache.cache.adopt(stored, chat, 0);
    QCOMPARE(cache.resume(Cache::table(60)), 0);
    const int indices[] = {0, 1, 2};
    for (const auto& slot : cache.cache.adopt_windows(chat, indices)) QVERIFY(slot.has_value());
    QCOMPARE(cache.resume(Cache::table(60)), 48);
    for (const auto& slot : cache.cache.adopt_windows(chat, indices)) QVERIFY(!slot.has_value());
    cache.cache.disown_window(chat, 2);
    QCOMPARE(cache.resume(Cache::table(60)), 32);
  }

  void withoutSharing_nothingStays() {
    BlockCache cache(100, /*share_prefixes=*/false, nullptr, {},
                     {.num_slots = 9, .window = kWindow});
    BlockTable chat = Cache::table(500);
    for (int end = 20; end <= 500; end += 20) {
      QVERIFY(cache.reserve(chat, end));
      cache.mark_computed(chat, end);
    }
    QCOMPARE(cache.windows().num_cached(), 0);
  }
};

QTEST_APPLESS_MAIN(TestWindowCache)
#include "tst_window_cache.moc"
