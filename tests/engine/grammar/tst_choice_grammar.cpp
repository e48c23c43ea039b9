#include <QtTest>

#include <string>
#include <vector>

#include "engine/grammar/choice_grammar.h"
#include "tests/engine/grammar/grammar_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

Result<std::shared_ptr<const Grammar>> choice_of(const std::vector<std::string>& choices) {
  static const BytesTokenizer kTokenizer;
  static const auto kVocabulary = vocabulary_of(kTokenizer);
  return choice_grammar(choices, kVocabulary);
}

}  // namespace

/// Answers that are one of some texts.
class TestChoiceGrammar : public QObject {
  Q_OBJECT

 private slots:
  void choice_isTakenAsItIs() {
    const std::vector<std::string> choices = {"yes", "yes, sir", "no", "nö\n", " {\"a\": 1}"};
    const auto grammar = choice_of(choices);
    QVERIFY(grammar.has_value());
    for (const std::string& choice : choices) QVERIFY2(allows(**grammar, choice), choice.c_str());
    for (const char* const other : {"", "ye", "yes,", "yes, sir!", "nö", " yes", "{\"a\": 1}"}) {
      QVERIFY2(!allows(**grammar, other), other);
    }
  }

  void endOfTheOnlyChoice_isTheEnd() {
    const auto grammar = choice_of({"a", "ab"});
    QVERIFY(grammar.has_value());
    const GrammarState a = (*grammar)->next((*grammar)->start(), 'a');
    QVERIFY(a.is_complete() && !a.is_finished());
    QVERIFY((*grammar)->next(a, 'b').is_finished());
  }

  void wrongChoices_areNamed_data() {
    QTest::addColumn<std::vector<std::string>>("choices");
    QTest::addColumn<std::string>("why");
    const auto row = [](const char* name, std::vector<std::string> choices, const char* why) {
      QTest::newRow(name) << std::move(choices) << std::string(why);
    };
    row("none", {}, "choice has no texts");
    row("empty", {"a", ""}, "an empty text");
    row("twice", {"a", "b", "a"}, "choice has 'a' twice");
    row("no UTF-8", {"\xff"}, "not UTF-8");
    row("too long", {std::string(40'000, 'a'), std::string(30'000, 'b')}, "70,000 bytes together");
    std::vector<std::string> many;
    for (size_t i = 0; i <= kMaxChoices; ++i) many.push_back(std::to_string(i));
    row("too many", many, "choice has 1,025 texts");
  }
  void wrongChoices_areNamed() {
    QFETCH(std::vector<std::string>, choices);
    QFETCH(std::string, why);
    const auto grammar = choice_of(choices);
    QVERIFY(!grammar);
    QCOMPARE(grammar.error().code, ErrorCode::kInvalidArgument);
    QVERIFY2(grammar.error().message.find(why) != std::string::npos,
             grammar.error().message.c_str());
  }

  void longestChoices_areTaken() {
    std::vector<std::string> choices;
    for (size_t i = 0; i < kMaxChoices; ++i) choices.push_back(std::to_string(i) + "abcdefghij");
    const auto grammar = choice_of(choices);
    QVERIFY(grammar.has_value());
    QVERIFY(allows(**grammar, choices.back()));
    QVERIFY(choice_of({std::string(Grammar::kMaxSchemaBytes, 'a')}).has_value());
  }
};

QTEST_APPLESS_MAIN(TestChoiceGrammar)
#include "tst_choice_grammar.moc"
