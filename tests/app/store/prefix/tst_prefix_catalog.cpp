#include <QtTest>

#include <algorithm>
#include <random>

#include "app/store/prefix/prefix_catalog.h"
#include "tests/app/store/prefix/sample_blocks.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

constexpr PrefixOwner kPersona{PrefixOwner::Kind::kPersona, 1};
constexpr PrefixOwner kChat{PrefixOwner::Kind::kChat, 2};
constexpr int64_t kAnyTime = 1'000'000;

void insert(PrefixCatalog& catalog, const StoredBlock& block, int64_t used,
            const PrefixOwner& owner) {
  catalog.insert(
      block.key,
      {.row = used, .parent = block.parent, .bytes = 10, .used = used, .owners = {owner}});
}

/// The order in which all of a kind would go.
std::vector<BlockKey> order(PrefixCatalog catalog, PrefixOwner::Kind kind) {
  std::vector<BlockKey> keys;
  while (const auto victim = catalog.victim(kind, kAnyTime)) {
    keys.push_back(*victim);
    catalog.erase(*victim);
  }
  return keys;
}

}  // namespace

class TestPrefixCatalog : public QObject {
  Q_OBJECT

 private slots:
  void victim_isTheTailFirst() {
    PrefixCatalog catalog;
    const auto chain = samples::chain("a", 4);
    for (const StoredBlock& block : chain) insert(catalog, block, 5, kPersona);
    auto expected = samples::keysOf(chain);
    std::reverse(expected.begin(), expected.end());
    QVERIFY(order(catalog, kPersona.kind) == expected);
    QVERIFY(!catalog.victim(kPersona.kind, 5));
    QVERIFY(!catalog.victim(kChat.kind, kAnyTime));
  }

  void victim_isOfTheChainUsedLongestAgo() {
    PrefixCatalog catalog;
    const auto older = samples::chain("older", 2);
    const auto newer = samples::chain("newer", 2);
    insert(catalog, older[0], 1, kChat);
    insert(catalog, newer[0], 2, kChat);
    insert(catalog, older[1], 3, kChat);
    insert(catalog, newer[1], 4, kChat);
    const std::vector<BlockKey> expected = {older[1].key, older[0].key, newer[1].key, newer[0].key};
    QVERIFY(order(catalog, kChat.kind) == expected);
    catalog.markUsed(older[0].key, 5);  // Its head alone: the tail was not used.
    const std::vector<BlockKey> changed = {older[1].key, newer[1].key, newer[0].key, older[0].key};
    QVERIFY(order(catalog, kChat.kind) == changed);
  }

  void insert_inAnyOrderGivesTheSame() {
    const auto chain = samples::chain("a", 6);
    std::vector<size_t> turns = {0, 1, 2, 3, 4, 5};
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
      std::shuffle(turns.begin(), turns.end(), random);
      PrefixCatalog catalog;
      for (const size_t i : turns) {
        insert(catalog, chain[i], static_cast<int64_t>(i) + 1, kChat);
      }
      for (const StoredBlock& block : chain) QCOMPARE(catalog.find(block.key)->used, 6);
      QCOMPARE(catalog.bytes(kChat.kind), uint64_t{60});
    }
  }

  void bytes_areChargedToThePersonaThatOwns() {
    PrefixCatalog catalog;
    const auto chain = samples::chain("a", 2);
    for (const StoredBlock& block : chain) insert(catalog, block, 1, kChat);
    QVERIFY(catalog.addOwner(chain[0].key, kPersona));
    QVERIFY(!catalog.addOwner(chain[0].key, kPersona));
    QCOMPARE(catalog.bytes(kPersona.kind), uint64_t{10});
    QCOMPARE(catalog.bytes(kChat.kind), uint64_t{10});
    // The persona's block is the head of the chat's, which goes first.
    QVERIFY(catalog.victim(kPersona.kind, kAnyTime) == chain[1].key);
    catalog.removeOwner(chain[0].key, kPersona);
    QCOMPARE(catalog.bytes(kPersona.kind), uint64_t{0});
    QCOMPARE(catalog.bytes(kChat.kind), uint64_t{20});
  }

  void siblings_takeNoLongerThanAChain() {
    constexpr int kMany = 50'000;
    PrefixCatalog catalog;
    const BlockKey parent = root_key("parent");
    for (int i = 0; i < kMany; ++i) {
      StoredBlock block;
      block.key = root_key(std::to_string(i));
      block.parent = parent;
      insert(catalog, block, i, kChat);
    }
    StoredBlock top;
    top.key = parent;
    insert(catalog, top, 0, kChat);
    const double begin = test::thread_ms();
    QCOMPARE(order(std::move(catalog), kChat.kind).size(), size_t{kMany} + 1);
    const double ms = test::thread_ms() - begin;
    QVERIFY2(ms < 3000.0, qPrintable(QString::number(ms)));
  }

  void circle_doesNotHang() {
    PrefixCatalog catalog;
    const auto chain = samples::chain("a", 3);
    for (size_t i = 0; i < 3; ++i) {
      StoredBlock block = chain[i];
      block.parent = chain[(i + 2) % 3].key;
      insert(catalog, block, static_cast<int64_t>(i) + 1, kChat);
    }
    StoredBlock self = samples::chain("self", 1)[0];
    self.parent = self.key;
    insert(catalog, self, 1, kChat);
    catalog.markUsed(chain[0].key, 9);
    QCOMPARE(order(catalog, kChat.kind).size(), size_t{4});
  }
};

QTEST_GUILESS_MAIN(TestPrefixCatalog)
#include "tst_prefix_catalog.moc"
