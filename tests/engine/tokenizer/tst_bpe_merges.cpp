#include <QtTest>
#include <ctime>
#include <map>
#include <random>

#include "engine/tokenizer/bpe_merges.h"
#include "engine/tokenizer/bpe_pairs.h"
#include "engine/tokenizer/merge_batch.h"

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

  /// Texts are found in groups; these end within one, and fill it.
  void findAll_isFindOfEach() {
    std::mt19937 random(5);
    for (const size_t count : {0, 1, 31, 32, 33, 500}) {
      StringIndex index;
      index.reserve(count);
      std::vector<std::string> texts;
      for (size_t i = 0; i < 2 * count + 2; ++i) {  // One more than room was made for.
        texts.push_back(std::string(random() % 30, 'a') + std::to_string(i));
        if (i % 2 == 0) QVERIFY(index.insert(texts.back(), static_cast<TokenId>(i)));
      }
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      std::vector<TokenId> ids(views.size());
      index.find_all(views, ids);
      for (size_t i = 0; i < views.size(); ++i) {
        QCOMPARE(ids[i], index.find(views[i]).value_or(-1));
        QCOMPARE(ids[i], i % 2 == 0 ? static_cast<TokenId>(i) : -1);
      }
    }
  }

  void pairs_areAllThatFormTheText() {
    StringIndex words;
    TokenId next = 0;
    for (const char* word : {"a", "b", "ab", "ba", "aba", "\u00e9", "b\u00e9"}) {
      words.insert(word, next++);
    }
    const auto pairs_of = [&](BpePairs::Cuts cuts, std::string_view text) {
      BpePairs pairs(words, cuts);
      std::vector<std::pair<TokenId, TokenId>> all;
      for (const auto& [left, right] : pairs.of(text)) all.emplace_back(left, right);
      return all;
    };
    using Pairs = std::vector<std::pair<TokenId, TokenId>>;
    for (const auto cuts : {BpePairs::Cuts::kBetweenBytes, BpePairs::Cuts::kBetweenCharacters}) {
      QCOMPARE(pairs_of(cuts, "aba"), (Pairs{{0, 3}, {2, 0}}));
      QCOMPARE(pairs_of(cuts, "ab\u00e9"), (Pairs{{0, 6}, {2, 5}}));
      QCOMPARE(pairs_of(cuts, "a"), Pairs{});
      QCOMPARE(pairs_of(cuts, ""), Pairs{});
    }
  }

  void batch_namesTheFirstMergeThatLacksAToken() {
    StringIndex tokens;
    TokenId next = 0;
    for (const char* token : {"a", "b", "ab", "ba"}) tokens.insert(token, next++);
    const std::string_view left = "a", right = "b";
    for (const size_t good : {0, 5, 31, 32, 100}) {
      BpeMerges merges;
      MergeBatch batch(tokens, merges);
      for (size_t i = 0; i < good; ++i) QVERIFY(!batch.add(left, right));
      auto missing = batch.add(right, right);
      if (!missing) missing = batch.add("x", "y");
      if (!missing) missing = batch.finish();
      QVERIFY(missing);
      QCOMPARE(missing->rank, good);
      QCOMPARE(missing->token, std::string("bb"));
    }
    BpeMerges merges;
    MergeBatch batch(tokens, merges);
    for (int i = 0; i < 40; ++i) QVERIFY(!batch.add(left, right));
    QVERIFY(!batch.add(right, left) && !batch.finish());
    QCOMPARE(merges.size(), size_t{2});
    QCOMPARE(merges.find(0, 1).rank, 39u);  // If a pair is there twice, the last counts.
    QCOMPARE(merges.find(1, 0).rank, 40u);
    QCOMPARE(merges.find(1, 0).id, 3);
  }
};

QTEST_APPLESS_MAIN(TestBpeMerges)
#include "tst_bpe_merges.moc"
