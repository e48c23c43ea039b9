#include <QTest>

#include <numeric>
#include <set>

#include "engine/cache/host_block_store.h"
#include "tests/support/late_backend.h"

using namespace quire;

namespace {

constexpr size_t kBytes = 1000;

struct Block {
  BlockKey parent = root_key("model");
  std::vector<int32_t> tokens;
  BlockKey key;
};

Block block(int first) {
  Block made;
  made.tokens.resize(kBlockSize);
  std::iota(made.tokens.begin(), made.tokens.end(), first);
  made.key = child_key(made.parent, made.tokens);
  return made;
}

std::optional<int> add(HostBlockStore& store, const Block& b) {
  return store.add(b.key, b.parent, b.tokens);
}

std::optional<int> find(const HostBlockStore& store, const Block& b) {
  return store.find(b.key, b.parent, b.tokens);
}

}  // namespace

class TestHostBlockStore : public QObject {
  Q_OBJECT

 private slots:
  void add_givesEachBlockAPlaceOfItsOwn() {
    LateBackend backend;
    HostBlockStore store(backend, kBytes, 3 * kBytes);
    std::set<const std::byte*> places;
    for (int i = 0; i < 3; ++i) {
      const auto place = add(store, block(i));
      QVERIFY(place);
      QCOMPARE(store.bytes(*place).size(), kBytes);
      std::ranges::fill(store.bytes(*place), std::byte(i));
      places.insert(store.bytes(*place).data());
    }
    QCOMPARE(places.size(), size_t{3});
    for (int i = 0; i < 3; ++i) {
      const auto bytes = store.bytes(*find(store, block(i)));
      QCOMPARE(std::ranges::count(bytes, std::byte(i)), std::ptrdiff_t{kBytes});
    }
    QVERIFY(!add(store, block(1)));  // It is there.
    QCOMPARE(store.num_blocks(), 3);
  }

  void find_verifiesTokensAndParent() {
    LateBackend backend;
    HostBlockStore store(backend, kBytes, 3 * kBytes);
    const Block kept = block(0);
    QVERIFY(add(store, kept));
    Block other = kept;
    other.tokens[3] = 99;
    QVERIFY(!find(store, other));
    other = kept;
    other.parent = root_key("another model");
    QVERIFY(!find(store, other));
    QVERIFY(find(store, kept));
  }

  void fullStore_givesUpTheLeastRecentlyUsed() {
    LateBackend backend;
    HostBlockStore store(backend, kBytes, 3 * kBytes + kBytes / 2);
    for (int i = 0; i < 3; ++i) QVERIFY(add(store, block(i)));
    QVERIFY(!add(store, block(0)));  // Used now.
    store.touch(*find(store, block(1)));
    QVERIFY(add(store, block(3)));
    QVERIFY(!find(store, block(2)));
    QVERIFY(add(store, block(4)));
    QVERIFY(!find(store, block(0)));
    QVERIFY(find(store, block(1)) && find(store, block(3)) && find(store, block(4)));
    QCOMPARE(store.num_blocks(), 3);
    QVERIFY(store.allocated_bytes() <= 3 * kBytes);
    QVERIFY(backend.host_bytes <= 3 * kBytes);
  }

  void demotedBlocks_makeRoomFirst() {
    LateBackend backend;
    HostBlockStore store(backend, kBytes, 3 * kBytes);
    for (int i = 0; i < 3; ++i) QVERIFY(add(store, block(i)));
    store.demote(*find(store, block(2)));
    store.demote(*find(store, block(1)));
    QVERIFY(add(store, block(3)));
    QVERIFY(!find(store, block(1)) && find(store, block(2)));
    QVERIFY(add(store, block(4)));
    QVERIFY(!find(store, block(2)) && find(store, block(0)));
  }

  void memory_isTakenAsItIsNeeded() {
    LateBackend backend;
    const size_t large = size_t{20} << 20;
    HostBlockStore store(backend, large, 7 * large);
    QCOMPARE(backend.host_bytes, size_t{0});
    QVERIFY(add(store, block(0)));
    QCOMPARE(backend.host_bytes, 3 * large);
    for (int i = 1; i < 20; ++i) QVERIFY(add(store, block(i)));
    QCOMPARE(backend.host_bytes, 7 * large);
    QCOMPARE(store.num_blocks(), 7);
  }

  void noMoreMemory_keepsTheStoreAsLargeAsItIs() {
    LateBackend backend;
    const size_t large = size_t{20} << 20;
    backend.max_host_bytes = 3 * large;
    HostBlockStore store(backend, large, 100 * large);
    for (int i = 0; i < 10; ++i) QVERIFY(add(store, block(i)));
    QCOMPARE(store.num_blocks(), 3);
    QVERIFY(find(store, block(9)) && find(store, block(7)) && !find(store, block(6)));
  }

  void noMemoryAtAll_keepsNothing() {
    LateBackend backend;
    backend.max_host_bytes = 0;
    HostBlockStore store(backend, kBytes, 100 * kBytes);
    QVERIFY(!add(store, block(0)));
    HostBlockStore without(backend, kBytes, kBytes - 1);
    QVERIFY(!add(without, block(0)));
    QCOMPARE(store.num_blocks() + without.num_blocks(), 0);
  }

  void clear_forgetsBlocksAndKeepsMemory() {
    LateBackend backend;
    HostBlockStore store(backend, kBytes, 3 * kBytes);
    for (int i = 0; i < 3; ++i) QVERIFY(add(store, block(i)));
    store.clear();
    QCOMPARE(store.num_blocks(), 0);
    QVERIFY(!find(store, block(1)));
    const size_t bytes = backend.host_bytes;
    for (int i = 0; i < 3; ++i) QVERIFY(add(store, block(i + 5)));
    QCOMPARE(store.num_blocks(), 3);
    QCOMPARE(backend.host_bytes, bytes);
  }
};

QTEST_APPLESS_MAIN(TestHostBlockStore)
#include "tst_host_block_store.moc"
