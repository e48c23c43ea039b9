#include <QtTest>

#include "tests/engine/grammar/grammar_cases.h"
#include "tests/engine/grammar/grammar_test_support.h"

using namespace quire;
using namespace quire::test;

Q_DECLARE_METATYPE(GrammarCase)

namespace {

std::shared_ptr<const Grammar> of(std::string_view schema) {
  static const BytesTokenizer kTokenizer;
  static const auto kVocabulary = vocabulary_of(kTokenizer);
  return grammar_of(schema, kVocabulary);
}

void add_rows(const std::vector<GrammarCase>& cases) {
  QTest::addColumn<GrammarCase>("given");
  for (const GrammarCase& one : cases) QTest::newRow(one.name.c_str()) << one;
}

void check_texts() {
  QFETCH(GrammarCase, given);
  const auto grammar = of(given.schema);
  for (const std::string& text : given.allowed) QVERIFY2(allows(*grammar, text), text.c_str());
  for (const std::string& text : given.refused) QVERIFY2(!allows(*grammar, text), text.c_str());
}

}  // namespace

/// Which texts the grammar of a schema allows.
class TestGrammar : public QObject {
  Q_OBJECT

 private slots:
  void schemas_data() { add_rows(schema_cases()); }
  void schemas() { check_texts(); }
  void patterns_data() { add_rows(pattern_cases()); }
  void patterns() { check_texts(); }
  void formats_data() { add_rows(format_cases()); }
  void formats() { check_texts(); }

  /// What is opened can be closed, however deeply values are nested.
  void depth_isBounded() {
    const auto grammar = of(R"({"type": "object"})");
    GrammarState state = grammar->start();
    int depth = 0;
    const auto read = [&](std::string_view text) {
      GrammarState next = state;
      for (const char c : text) next = grammar->next(next, static_cast<uint8_t>(c));
      if (next.is_broken()) return false;
      state = next;
      return true;
    };
    while (read("{\"a\":")) ++depth;
    QVERIFY2(depth > 50 && depth <= 128, qPrintable(QString::number(depth)));
    QVERIFY(read("1"));
    while (depth-- > 0) QVERIFY(read("}"));
    QVERIFY(state.is_finished());
  }

  void space_isBounded() {
    const auto grammar = of("{}");
    QVERIFY(allows(*grammar, "[\n    1\n]"));
    QVERIFY(allows(*grammar, "[\n\t\t[\n" + std::string(8, ' ') + "1]]"));
    QVERIFY(!allows(*grammar, "[\n" + std::string(5, ' ') + "1]"));
    QVERIFY(!allows(*grammar, "[\n[\n" + std::string(9, ' ') + "1]]"));
    QVERIFY(!allows(*grammar, "[\n\n1]"));
    QVERIFY(!allows(*grammar, "[  1]"));
  }

  /// Equal states are equal, whatever way led to them, so that their masks are found again.
  void states_areValues() {
    const auto grammar = of(R"({"type": "array", "items": {"type": "string"}})");
    const auto after = [&](std::string_view text) {
      GrammarState state = grammar->start();
      for (const char c : text) state = grammar->next(state, static_cast<uint8_t>(c));
      return state;
    };
    QVERIFY(after("[\"a\", \"b") == after("[\"xyz"));
    QVERIFY(GrammarStateHash()(after("[\"a\", \"b")) == GrammarStateHash()(after("[\"xyz")));
    QCOMPARE(grammar->mask(after("[\"a\", \"b")), grammar->mask(after("[\"xyz")));
    QVERIFY(!(after("[\"a") == after("[\"a\"")));
  }
};

QTEST_APPLESS_MAIN(TestGrammar)
#include "tst_grammar.moc"
