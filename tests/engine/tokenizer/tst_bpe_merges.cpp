#include <QtTest>
#include <ctime>
#include <map>
#include <random>

#include "engine/tokenizer/bpe_merges.h"

using namespace quire;

/// The definition: of all pairs the one of lowest rank, the leftmost of equal ones, again and
/// again.
static std::vector<TokenId> merged_by_definition(std::vector<TokenId> symbols,
                                                 const BpeMerges& merges) {
  while (true) {
    size_t best = 0;
    Merge found;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const Merge merge = merges.find(symbols[i], symbols[i + 1]);
      if (merge.rank >= found.rank) continue;
      found = merge;
      best = i;
    }
    if (found.rank == Merge::kNever) return symbols;
    symbols[best] = found.id;
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
  }
}

class TestBpeMerges : public QObject {
  Q_OBJECT

 private slots:
  void apply_followsTheDefinition() {
    std::mt19937 random(3);
    BpeMerges::Scratch scratch;
    for (int round = 0; round < 300; ++round) {
      BpeMerges merges;
      const int num_symbols = 2 + static_cast<int>(random() % 6);
      for (int id = num_symbols; id < num_symbols + 40; ++id) {
        const auto left = static_cast<TokenId>(random() % static_cast<uint32_t>(id));
        const auto right = static_cast<TokenId>(random() % static_cast<uint32_t>(id));
        // Few ranks, so that pairs tie.
        merges.add(left, right, {static_cast<uint32_t>(random() % 12), id});
      }
      // Around the length from which a heap is used.
      std::vector<TokenId> word(random() % 140);
      for (TokenId& symbol : word) {
        symbol = static_cast<TokenId>(random() % static_cast<uint32_t>(num_symbols));
      }
      const auto expected = merged_by_definition(word, merges);
      merges.apply(word, scratch);
      QCOMPARE(word, expected);
    }
  }

  void find_knowsOnlyWhatWasAdded() {
    BpeMerges merges;
    QCOMPARE(merges.find(1, 2).rank, Merge::kNever);
    std::map<std::pair<TokenId, TokenId>, TokenId> expected;
    std::mt19937 random(4);
    for (TokenId id = 0; id < 20'000; ++id) {
      const auto left = static_cast<TokenId>(random() % 3000);
      const auto right = static_cast<TokenId>(random() % 3000);
      merges.add(left, right, {static_cast<uint32_t>(id), id});
      expected[{left, right}] = id;  // Of a pair given twice the last counts.
    }
    QCOMPARE(merges.size(), expected.size());
    for (const auto& [pair, id] : expected) QCOMPARE(merges.find(pair.first, pair.second).id, id);
    QCOMPARE(merges.find(5000, 1).id, -1);
  }

  void apply_ofAMillionSymbolsIsQuick() {
    BpeMerges merges;
    for (TokenId id = 0; id < 12; ++id) merges.add(id, id, {static_cast<uint32_t>(id), id + 1});
    std::vector<TokenId> word(1'000'000, 0);
    BpeMerges::Scratch scratch;
    const std::clock_t begin = std::clock();  // Of the processor: others may use it too.
    merges.apply(word, scratch);
    // Some 0.1 s; a quadratic way would take hours.
    QVERIFY(std::clock() - begin < 10 * CLOCKS_PER_SEC);
    QCOMPARE(word.size(), size_t{1'000'000 / 4096 + 2});
  }
};

QTEST_APPLESS_MAIN(TestBpeMerges)
#include "tst_bpe_merges.moc"
