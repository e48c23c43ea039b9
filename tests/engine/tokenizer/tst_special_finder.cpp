#include <QtTest>
#include <algorithm>
#include <functional>
#include <random>

#include "engine/tokenizer/special_finder.h"

using namespace quire;

namespace {

/// A vocabulary of special tokens alone.
class SpecialTokenizer final : public Tokenizer {
 public:
  explicit SpecialTokenizer(std::vector<std::string> contents) : m_contents(std::move(contents)) {
    std::ranges::stable_sort(m_contents, std::greater<>(), &std::string::size);
  }
  int vocab_size() const override { return static_cast<int>(m_contents.size()); }
  std::vector<TokenId> encode(std::string_view) const override { return {}; }
  std::optional<TokenId> special_token(std::string_view content) const override {
    const auto found = std::ranges::find(m_contents, content);
    if (found == m_contents.end()) return std::nullopt;
    return static_cast<TokenId>(found - m_contents.begin());
  }
  const std::vector<std::string>& special_tokens() const override { return m_contents; }
  bool is_special(TokenId) const override { return true; }
  std::string_view token_bytes(TokenId) const override { return {}; }
  std::string_view token_piece(TokenId) const override { return {}; }
  std::optional<TokenId> bos_token() const override { return std::nullopt; }
  std::optional<TokenId> eos_token() const override { return std::nullopt; }
  bool adds_bos() const override { return false; }

 private:
  std::vector<std::string> m_contents;
};

/// The first place where one of `contents` begins, and the longest that does.
std::optional<SpecialFinder::Match> by_walking(const std::vector<std::string>& contents,
                                               std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    size_t longest = 0;
    for (const std::string& content : contents) {
      if (text.substr(i).starts_with(content)) longest = std::max(longest, content.size());
    }
    if (longest > 0) return SpecialFinder::Match{0, i, longest};
  }
  return std::nullopt;
}

}  // namespace

class TestSpecialFinder : public QObject {
  Q_OBJECT

 private slots:
  void find_takesTheLongest() {
    const SpecialTokenizer tokenizer({"<a><b><c>", "<a>", "<a><b>x", "<", "<a><", "\xFF"});
    const SpecialFinder finder(tokenizer);
    WorkBudget budget = WorkBudget::for_text(100);
    QCOMPARE(finder.find("z<a><b><d>", 0, budget)->length, size_t{4});
    QCOMPARE(finder.find("z<a><b><c>", 0, budget)->length, size_t{9});
    QCOMPARE(finder.find("z<a", 0, budget)->length, size_t{1});
    QCOMPARE(finder.find("z\xFFz", 0, budget)->begin, size_t{1});
    QVERIFY(!finder.find("zzz", 0, budget));
    QVERIFY(!finder.find("<a>", 3, budget));
  }

  /// Contents of many lengths cost a look-up each at each place of a text.
  void find_endsWithItsBudget() {
    std::vector<std::string> contents;
    for (size_t length = 1; length < 500; ++length)
      contents.push_back("<" + std::string(length, 'a'));
    const SpecialTokenizer tokenizer(contents);
    const SpecialFinder finder(tokenizer);
    WorkBudget budget({.steps = 10'000});
    QVERIFY(!finder.find(std::string(100'000, '<'), 0, budget));
    QVERIFY(budget.is_spent());
  }

  /// Letters so few that contents begin and hold one another in every way.
  void find_equalsAWalkOverAll() {
    std::mt19937 random(11);
    const auto word = [&](uint32_t max) {
      std::string text;
      for (uint32_t n = 1 + random() % max; n > 0; --n) text += "ab\xFE"[random() % 3];
      return text;
    };
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::string> contents;
      for (uint32_t n = random() % 12; n > 0; --n) contents.push_back(word(5));
      const SpecialTokenizer tokenizer(contents);
      const SpecialFinder finder(tokenizer);
      const std::string text = word(30);
      WorkBudget budget = WorkBudget::for_text(text.size());
      for (size_t from = 0; from <= text.size(); ++from) {
        const auto expected = by_walking(contents, text, from);
        const auto found = finder.find(text, from, budget);
        QCOMPARE(found.has_value(), expected.has_value());
        if (!found) continue;
        QCOMPARE(found->begin, expected->begin);
        QCOMPARE(found->length, expected->length);
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestSpecialFinder)
#include "tst_special_finder.moc"
