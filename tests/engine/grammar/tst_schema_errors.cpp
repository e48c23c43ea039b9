#include <QtTest>

#include "engine/grammar/schema_checks.h"
#include "tests/engine/grammar/grammar_test_support.h"
#include "tests/engine/grammar/schema_error_cases.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;
using namespace quire::test;

Q_DECLARE_METATYPE(SchemaErrorCase)
Q_DECLARE_METATYPE(std::string)

/// What is not supported is named, and no schema takes long.
class TestSchemaErrors : public QObject {
  Q_OBJECT

 private slots:
  void errors_nameTheKeywordAndItsPlace_data() {
    QTest::addColumn<SchemaErrorCase>("given");
    for (const SchemaErrorCase& one : schema_error_cases()) {
      QTest::newRow(one.name.c_str()) << one;
    }
  }
  void errors_nameTheKeywordAndItsPlace() {
    QFETCH(SchemaErrorCase, given);
    const BytesTokenizer tokenizer;
    const auto grammar = Grammar::of_schema(given.schema, vocabulary_of(tokenizer));
    QVERIFY(!grammar);
    QVERIFY(grammar.error().code == ErrorCode::kInvalidArgument);
    const std::string& message = grammar.error().message;
    for (const std::string& word : given.words) {
      QVERIFY2(message.find(word) != message.npos, message.c_str());
    }
    QVERIFY2(message.ends_with('.') && message.size() < 400, message.c_str());
  }

  /// Also where a request brings four tools, each with such a schema.
  void comparedParts_areReadOnce_data() {
    QTest::addColumn<std::string>("wanted");
    for (const char* name : {"chain of references", "long enum compared", "long enums compared",
                             "long lists of required names", "wide part compared"}) {
      QTest::newRow(name) << std::string(name);
    }
  }
  void comparedParts_areReadOnce() {
    QFETCH(std::string, wanted);
    const BytesTokenizer tokenizer;
    const auto vocabulary = vocabulary_of(tokenizer);
    for (const auto& [name, schema] : hostile_schemas()) {
      if (name != wanted) continue;
      const double begin = thread_ms();
      for (int tool = 0; tool < 4; ++tool) (void)Grammar::of_schema(schema, vocabulary);
      const double taken = thread_ms() - begin;
      QVERIFY2(taken < 500 * kSanitizerFactor, qPrintable(QString::number(taken)));
      return;
    }
    QFAIL("There is no such schema.");
  }

  /// Beyond 2^53 a whole number equals the next other one in some comparisons.
  void longEnums_areToldApart() {
    const BytesTokenizer tokenizer;
    const auto vocabulary = vocabulary_of(tokenizer);
    SchemaJson first = SchemaJson::array(), second = SchemaJson::array();
    for (int64_t i = 0; i < 3000; ++i) {
      first.push_back(2 * i);
      second.push_back(2 * i + 1);
    }
    first.push_back("a");
    first.push_back((int64_t{1} << 53) + 1);
    second.push_back(9007199254740996.0);
    const auto compiles = [&] {
      const SchemaJson schema = {{"oneOf", {{{"enum", first}}, {{"enum", second}}}}};
      return Grammar::of_schema(schema.dump(), vocabulary).has_value();
    };
    QVERIFY(compiles());
    second.push_back("a");
    QVERIFY(!compiles());
    second.back() = 4.0;  // As the whole number.
    QVERIFY(!compiles());
  }

  /// Tens of thousands of parts have a path.
  void paths_areShort_whateverTheNames() {
    const std::string name(100'000, 'p');
    const SchemaJson json = {{name, {1}}};
    const SchemaPart part = SchemaPart{&json, "#"}.at(name);
    QVERIFY(part.path.starts_with("#/ppp"));
    QVERIFY(part.at(0).path.size() < 1000);
    QCOMPARE(part.at(0).json->get<int>(), 1);
    const SchemaJson reference = {{"$ref", "#/$defs/" + name}, {"$defs", {{name, true}}}};
    std::optional<std::string> wrong;
    QVERIFY(SchemaDocument(reference).resolve({&reference, "#"}, wrong).path.size() < 1000);
    QVERIFY(!wrong);
    QVERIFY(place_of(part).find("#/ppp") != std::string::npos);
  }

  /// Compiled or refused, and read for some tokens, in a bounded time.
  void hostileSchemas_takeNoTime_data() {
    QTest::addColumn<std::string>("schema");
    for (const auto& [name, schema] : hostile_schemas()) QTest::newRow(name.c_str()) << schema;
  }
  void hostileSchemas_takeNoTime() {
    QFETCH(std::string, schema);
    const BytesTokenizer tokenizer({"[[[[[[[[", "\"a", "\":", "{\"", "aaaaaaaa", "a\"}"});
    QElapsedTimer timer;
    timer.start();
    const auto grammar = Grammar::of_schema(schema, vocabulary_of(tokenizer));
    const qint64 compiled = timer.restart();
    qInfo("compiled in %lld ms: %s", static_cast<long long>(compiled),
          grammar ? "yes" : grammar.error().message.c_str());
    QVERIFY(compiled < 5000);
    if (!grammar) return;
    GrammarState state = (*grammar)->start();
    for (int i = 0; i < 30 && !state.is_finished(); ++i) {
      const auto mask = (*grammar)->mask(state);
      QVERIFY(!is_empty(*mask));
      TokenId last = 0;
      for (TokenId id = 0; id < tokenizer.end_token(); ++id) {
        if (has_token(*mask, id)) last = id;
      }
      state = (*grammar)->next(state, last);
      QVERIFY(!state.is_broken());
    }
    qInfo("read in %lld ms", static_cast<long long>(timer.elapsed()));
    QVERIFY(timer.elapsed() < 20000);
  }
};

QTEST_APPLESS_MAIN(TestSchemaErrors)
#include "tst_schema_errors.moc"
