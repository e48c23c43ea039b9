#include <QtTest>
#include <random>

#include "engine/sampling/stop_matcher.h"

using namespace quire;

/// The definition, slowly: the stop that begins first, of those the longest.
struct NaiveMatch {
  size_t begin = std::string::npos;
  size_t length = 0;
};
static NaiveMatch naive_match(const std::string& text, const std::vector<std::string>& stops) {
  for (size_t begin = 0; begin < text.size(); ++begin) {
    size_t length = 0;
    for (const std::string& stop : stops) {
      if (text.compare(begin, stop.size(), stop) == 0) length = std::max(length, stop.size());
    }
    if (length > 0) return {begin, length};
  }
  return {};
}

/// Where the longest suffix begins that is a proper prefix of a stop.
static size_t naive_alive(const std::string& text, const std::vector<std::string>& stops) {
  for (size_t begin = 0; begin < text.size(); ++begin) {
    const std::string suffix = text.substr(begin);
    for (const std::string& stop : stops) {
      if (stop.size() > suffix.size() && stop.starts_with(suffix)) return begin;
    }
  }
  return text.size();
}

static std::string random_string(std::mt19937& random, size_t max_length, unsigned letters) {
  std::string text(random() % (max_length + 1), 'a');
  for (char& letter : text) letter = static_cast<char>('a' + random() % letters);
  return text;
}

/// What comes out of a text in one piece.
static std::string filtered(const std::string& text, const std::vector<std::string>& stops) {
  StopMatcher matcher(stops);
  const std::string shown = matcher.push(text);
  return shown + matcher.finish();
}

class TestStopMatcher : public QObject {
  Q_OBJECT
 private slots:
  void push_holdsOnlyWhatMayBecomeAStop() {
    const std::vector<std::string> stops = {"</end>", "\n\nUser:"};
    StopMatcher matcher(stops);
    QCOMPARE(matcher.push("Hello <"), std::string("Hello "));
    QCOMPARE(matcher.push("b> \n"), std::string("<b> "));
    QCOMPARE(matcher.push("\nUs"), std::string());
    QCOMPARE(matcher.push("ually"), std::string("\n\nUsually"));
    QCOMPARE(matcher.push(" so</e"), std::string(" so"));
    QVERIFY(!matcher.matched());
    QVERIFY(matcher.matched_stop().empty());
    QCOMPARE(matcher.push("nd> more"), std::string());
    QCOMPARE(matcher.matched_stop(), std::string("</end>"));
    QVERIFY(matcher.matched());
    QCOMPARE(matcher.push("more"), std::string());
    QCOMPARE(matcher.finish(), std::string());
  }

  void push_prefersTheStopThatBeginsFirst() {
    const std::vector<std::string> stops = {"ab", "xaby"};
    QCOMPARE(filtered("zxaby", stops), std::string("z"));
    QCOMPARE(filtered("zxabz", stops), std::string("zx"));
    QCOMPARE(filtered("zxab", stops), std::string("zx"));
    StopMatcher matcher(stops);
    QCOMPARE(matcher.push("zxab"), std::string("z"));
    QVERIFY(!matcher.matched());
    QCOMPARE(matcher.push("z"), std::string("x"));
  }

  void push_waitsForTheLongestOfThoseThatBeginTogether() {
    const std::vector<std::string> stops = {"\n", "\n\n"};
    StopMatcher matcher(stops);
    QCOMPARE(matcher.push("a\n"), std::string("a"));
    QCOMPARE(matcher.push("\nb"), std::string());
    StopMatcher other(stops);
    QCOMPARE(other.push("a\n"), std::string("a"));
    QCOMPARE(other.finish(), std::string());
  }

  void push_keepsCharactersWhole() {
    const std::vector<std::string> stops = {"끝", "🙂!"};
    StopMatcher matcher(stops);
    QCOMPARE(matcher.push("좋아요 🙂"), std::string("좋아요 "));
    QCOMPARE(matcher.push("?"), std::string("🙂?"));
    QCOMPARE(matcher.push("이제 끝입니다"), std::string("이제 "));
    QVERIFY(matcher.matched());
  }

  void push_withoutStopsPassesEverything() {
    StopMatcher matcher({});
    QCOMPARE(matcher.push("text"), std::string("text"));
    QCOMPARE(matcher.finish(), std::string());
    QVERIFY(!matcher.matched());
  }

  void push_equalsTheDefinitionForAnyChunks() {
    const uint32_t seed = 20260102;
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    int num_matches = 0;
    for (int round = 0; round < 20000; ++round) {
      const unsigned letters = 2 + random() % 2;
      std::vector<std::string> stops(1 + random() % 4);
      for (std::string& stop : stops) {
        stop = random_string(random, 5, letters);
        stop.push_back(random() % 2 ? 'a' : 'b');
      }
      const std::string text = random_string(random, 30, letters + random() % 2);
      const NaiveMatch expected = naive_match(text, stops);
      StopMatcher matcher(stops);
      std::string emitted;
      for (size_t i = 0; i < text.size();) {
        const size_t length = 1 + random() % 6;
        emitted += matcher.push(std::string_view(text).substr(i, length));
        i = std::min(text.size(), i + length);
        const std::string seen = text.substr(0, i);
        const NaiveMatch match = naive_match(seen, stops);
        const size_t alive = naive_alive(seen, stops);
        // Nothing is held longer than it must be, and a stop is reported as soon as it is certain.
        if (match.length == 0) QCOMPARE(emitted.size(), alive);
        if (match.length > 0 && alive > match.begin) QVERIFY(matcher.matched());
      }
      emitted += matcher.finish();
      QCOMPARE(matcher.matched(), expected.length > 0);
      QCOMPARE(emitted, text.substr(0, expected.begin));
      num_matches += expected.length > 0 ? 1 : 0;
    }
    QVERIFY(num_matches > 5000);
  }

  void push_isLinear() {
    const std::string most(999, 'a');
    const std::vector<std::string> stops = {most + "ab", most + "c"};
    const std::string text(2'000'000, 'a');
    QElapsedTimer timer;
    timer.start();
    StopMatcher matcher(stops);
    size_t length = 0;
    for (size_t i = 0; i < text.size(); i += 4) length += matcher.push(text.substr(i, 4)).size();
    QCOMPARE(length, text.size() - 1000);
    QVERIFY2(timer.elapsed() < 20'000, "quadratic?");
  }
};

QTEST_APPLESS_MAIN(TestStopMatcher)
#include "tst_stop_matcher.moc"
