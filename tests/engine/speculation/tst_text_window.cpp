#include <QTest>

#include <deque>
#include <random>
#include <vector>

#include "engine/speculation/persona_texts.h"

using namespace quire;
using Tokens = std::vector<TokenId>;

namespace {

/// Texts of made-up tokens; equal seeds give equal texts.
Tokens random_text(int count, uint32_t seed) {
  std::mt19937 random(seed);
  Tokens tokens(static_cast<size_t>(count));
  for (TokenId& token : tokens) token = static_cast<TokenId>(random() % 1'000'000);
  return tokens;
}

Tokens guess(const TextWindow& window, const Tokens& text, int count = 15) {
  return window.following(window.find_end(text), count);
}

Tokens guess(PersonaTexts& texts, const TextOwner& owner, const Tokens& text) {
  const TextWindow* window = texts.find(owner);
  return window ? guess(*window, text) : Tokens{};
}

/// Texts in a window by definition: the longest match up to 32, of equals the last.
Tokens guess_by_definition(const std::deque<Tokens>& texts, const Tokens& end, int count) {
  int best = 0;
  Tokens found;
  for (const Tokens& text : texts) {
    for (size_t at = 0; at < text.size(); ++at) {
      int length = 0;
      while (length < 32 && length <= int(at) && length < int(end.size()) &&
             text[at - size_t(length)] == end[end.size() - 1 - size_t(length)]) {
        ++length;
      }
      if (length < TextWindow::kLeastMatch || length < best) continue;
      best = length;
      const auto next = text.begin() + std::ptrdiff_t(at) + 1;
      found.assign(next, next + std::min<std::ptrdiff_t>(count, text.end() - next));
    }
  }
  return found;
}

}  // namespace

class TestTextWindow : public QObject {
  Q_OBJECT

 private slots:
  void findEnd_findsTheLongest_thenTheLatest() {
    TextWindow window;
    QVERIFY(guess(window, {1, 2, 3}).empty());
    window.add(1, Tokens{1, 2, 3, 4});
    window.add(2, Tokens{9, 2, 3, 5, 6});
    QCOMPARE(guess(window, {1, 2, 3}), Tokens{4});
    QCOMPARE(guess(window, {7, 2, 3}), (Tokens{5, 6}));
    QCOMPARE(guess(window, {7, 2, 3}, 1), Tokens{5});
    QVERIFY(guess(window, {3}).empty());
    QVERIFY(guess(window, {}).empty());
  }

  /// Neither a match nor what follows it goes from one text to the next.
  void texts_areNotJoined() {
    TextWindow window;
    window.add(1, Tokens{1, 2, 3});
    window.add(2, Tokens{4, 5, 6});
    QVERIFY(guess(window, {2, 3}).empty());
    QVERIFY(guess(window, {3, 4}).empty());
    QCOMPARE(window.find_end(Tokens{3, 4, 5}).length, 2);
  }

  void add_dropsTheOldestTexts() {
    TextWindow window(64);
    for (int i = 0; i < 10; ++i) window.add(1, random_text(20, uint32_t(i)));
    for (int i = 0; i < 10; ++i) {
      const Tokens text = random_text(20, uint32_t(i));
      const Tokens expected = i < 7 ? Tokens{} : Tokens(text.begin() + 2, text.begin() + 17);
      QCOMPARE(guess(window, {text[0], text[1]}), expected);
    }
    window.add(1, random_text(500, 77));  // Longer than the window: its end.
    const Tokens text = random_text(500, 77);
    QVERIFY(guess(window, {text[0], text[1]}).empty());
    QCOMPARE(guess(window, {text[490], text[491]}), Tokens(text.begin() + 492, text.end()));
  }

  /// Small windows that texts with much in common go through, also past the end of the ring.
  void findEnd_equalsTheDefinition() {
    std::mt19937 random(20261126);
    TextWindow window(512);
    std::deque<Tokens> texts;
    size_t size = 0;
    for (int round = 0; round < 400; ++round) {
      Tokens text = random_text(3 + int(random() % 60), random());
      if (!texts.empty() && random() % 2 == 0) {
        const Tokens& from = texts[random() % texts.size()];
        const auto count = std::ptrdiff_t(random() % (from.size() + 1));
        text.insert(text.begin() + 1, from.begin(), from.begin() + count);
        if (text.size() > 200) text.resize(200);
      }
      window.add(1 + int64_t(random() % 3), text);
      size += text.size() + 1;
      texts.push_back(text);
      for (; size > 512; texts.pop_front()) size -= texts.front().size() + 1;
      for (int i = 0; i < 5; ++i) {
        const Tokens& from = texts[random() % texts.size()];
        const Tokens end(from.begin(), from.begin() + std::ptrdiff_t(1 + random() % from.size()));
        QCOMPARE(guess(window, end, 6), guess_by_definition(texts, end, 6));
      }
    }
  }

  void forget_removesTheTextsOfAChat() {
    TextWindow window;
    const Tokens first = random_text(50, 1), second = random_text(50, 2);
    window.add(1, first);
    window.add(2, second);
    window.add(1, random_text(50, 3));
    window.forget(1);
    for (size_t at = 2; at < 50; ++at) {
      QVERIFY(guess(window, {first[at - 2], first[at - 1]}).empty());
    }
    QCOMPARE(guess(window, {second[0], second[1]}).size(), size_t(15));
  }

  void find_ofAnotherPersona_findsNothing() {
    PersonaTexts texts;
    const Tokens text = random_text(50, 1), end(text.begin(), text.begin() + 5);
    texts.add({.persona = 1, .chat = 1}, text);
    texts.add({.persona = 0, .chat = 3}, text);
    QVERIFY(!guess(texts, {.persona = 1, .chat = 2}, end).empty());
    QVERIFY(guess(texts, {.persona = 2, .chat = 1}, end).empty());
    QVERIFY(guess(texts, {.persona = 0, .chat = 1}, end).empty());
    QVERIFY(!guess(texts, {.persona = 0, .chat = 3}, end).empty());  // Its own answer before.
    QVERIFY(guess(texts, {.persona = 0, .chat = 2}, end).empty());
    QVERIFY(guess(texts, {.persona = 3, .chat = 3}, end).empty());
    texts.add({.persona = 4, .chat = 0}, text);  // Nobody could have it forgotten.
    QVERIFY(guess(texts, {.persona = 4, .chat = 1}, end).empty());
    texts.forget(1);
    texts.forget(3);
    QVERIFY(guess(texts, {.persona = 1, .chat = 2}, end).empty());
    QVERIFY(guess(texts, {.persona = 0, .chat = 3}, end).empty());
  }

  void add_staysWithinItsBytes_andDropsWhatIsUsedLeast() {
    PersonaTexts texts;
    for (int64_t persona = 1; persona <= 30; ++persona) {
      for (int i = 0; i < 40; ++i) {
        const auto text = random_text(2000, uint32_t(persona) * 100 + uint32_t(i));
        texts.add({.persona = persona, .chat = persona}, text);
      }
      QVERIFY(texts.find({.persona = 1, .chat = 1}));
      QVERIFY(texts.bytes() <= PersonaTexts::kMostBytes);
    }
    QVERIFY(texts.bytes() > PersonaTexts::kMostBytes / 2);
    QVERIFY(!texts.find({.persona = 2, .chat = 2}));
    QVERIFY(texts.find({.persona = 30, .chat = 30}));
  }
};

QTEST_APPLESS_MAIN(TestTextWindow)
#include "tst_text_window.moc"
