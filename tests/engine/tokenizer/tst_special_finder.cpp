#include <QtTest>
#include <random>

#include "engine/tokenizer/special_finder.h"

using namespace quire;

/// The first place where one of `contents` begins, and the longest that does.
static SpecialFinder::Match by_walking(const std::vector<std::string>& contents,
                                       std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    size_t longest = 0;
    for (const std::string& content : contents) {
      if (text.substr(i).starts_with(content)) longest = std::max(longest, content.size());
    }
    if (longest > 0) return {i, longest};
  }
  return {};
}

class TestSpecialFinder : public QObject {
  Q_OBJECT

 private slots:
  void find_takesTheLongest() {
    const std::vector<std::string> contents = {"<a><b><c>", "<a>", "<a><b>x", "<", "<a><", "\xFF"};
    SpecialFinder finder(contents);
    QCOMPARE(finder.find("z<a><b><d>", 0).length, size_t{4});
    QCOMPARE(finder.find("z<a><b><c>", 0).length, size_t{9});
    QCOMPARE(finder.find("z<a", 0).length, size_t{1});
    QCOMPARE(finder.find("z\xFFz", 0).begin, size_t{1});
    QCOMPARE(finder.find("zzz", 0).begin, std::string_view::npos);
    QCOMPARE(finder.find("<a>", 3).length, size_t{0});
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
      SpecialFinder finder(contents);
      const std::string text = word(30);
      for (size_t from = 0; from <= text.size(); ++from) {
        const auto expected = by_walking(contents, text, from);
        const auto found = finder.find(text, from);
        QCOMPARE(found.begin, expected.begin);
        QCOMPARE(found.length, expected.length);
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestSpecialFinder)
#include "tst_special_finder.moc"
