#include <QTest>

#include <algorithm>
#include <random>
#include <vector>

#include "engine/speculation/ngram_index.h"

using namespace quire;

namespace {

NGramIndex index_of(const std::vector<TokenId>& tokens) {
  NGramIndex index;
  index.append(tokens);
  return index;
}

/// The longest match up to 32 by comparing everywhere, of equals the last.
NGramIndex::Match match_by_definition(const std::vector<TokenId>& tokens) {
  NGramIndex::Match best;
  for (size_t at = 0; at + 1 < tokens.size(); ++at) {
    int length = 0;
    while (length < 32 && length <= int(at) &&
           tokens[at - size_t(length)] == tokens[tokens.size() - 1 - size_t(length)]) {
      ++length;
    }
    if (length >= NGramIndex::kLeastMatch && length >= best.length) best = {length, int(at) + 1};
  }
  return best;
}

}  // namespace

class TestNGramIndex : public QObject {
  Q_OBJECT

 private slots:
  void findEnd_ofShortTexts_findsNothing() {
    QCOMPARE(index_of({}).find_end().length, 0);
    QCOMPARE(index_of({7}).find_end().length, 0);
    QCOMPARE(index_of({7, 7}).find_end().length, 0);
    QCOMPARE(index_of({1, 2, 3, 2}).find_end().length, 0);
    QVERIFY(index_of({1, 2}).following({}, 5).empty());
  }

  void findEnd_prefersTheLongest_thenTheLast() {
    // 1 2 3 stood at the beginning before 8, and 2 3 later before 9.
    const NGramIndex index = index_of({1, 2, 3, 8, 5, 2, 3, 9, 6, 1, 2, 3});
    QCOMPARE(index.find_end().length, 3);
    QCOMPARE(index.following(index.find_end(), 3), (std::vector<TokenId>{8, 5, 2}));
    const NGramIndex equals = index_of({2, 3, 8, 2, 3, 9, 2, 3});
    QCOMPARE(equals.following(equals.find_end(), 1), (std::vector<TokenId>{9}));
  }

  void following_goesOnWithARepetition() {
    const NGramIndex index = index_of({4, 5, 6, 5, 6});
    QCOMPARE(index.following(index.find_end(), 5), (std::vector<TokenId>{5, 6, 5, 6, 5}));
  }

  /// With few tokens chains are long and only their ends are looked at; with many each is.
  void findEnd_equalsTheDefinition_whereChainsAreShort() {
    std::mt19937 random(20261126);
    for (int round = 0; round < 40; ++round) {
      std::vector<TokenId> tokens;
      NGramIndex index;
      for (int i = 0; i < 100; ++i) {
        const bool repeats = tokens.size() > 20 && random() % 8 == 0;
        const auto first = repeats ? random() % (tokens.size() - 12) : 0;
        for (size_t n = 0; n < (repeats ? 12 : 1); ++n) {
          tokens.push_back(repeats ? tokens[first + n] : TokenId(random() % 1'000'000));
          index.append(std::span(&tokens.back(), 1));
        }
        const NGramIndex::Match match = index.find_end(), expected = match_by_definition(tokens);
        QCOMPARE(match.length, expected.length);
        QCOMPARE(match.next, expected.next);
      }
    }
  }

  void findEnd_ofAnEndlessToken_looksAtFew() {
    NGramIndex index;
    index.append(std::vector<TokenId>(100'000, 3));
    QCOMPARE(index.find_end().length, 32);
    QCOMPARE(index.following(index.find_end(), 4), std::vector<TokenId>(4, 3));
  }
};

QTEST_APPLESS_MAIN(TestNGramIndex)
#include "tst_ngram_index.moc"
