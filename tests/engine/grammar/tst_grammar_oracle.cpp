#include <QtTest>

#include <fstream>
#include <random>

#include "tests/engine/grammar/grammar_test_support.h"
#include "tests/engine/grammar/random_schemas.h"
#include "tests/engine/grammar/slow_schema_checker.h"

using namespace quire;
using namespace quire::test;

namespace {

const std::vector<std::string> kTexts = {
    "{\"", "\":", "\": ", ",",    ", ",    "\"",   "\",\"",    "\"}",  "[",    "]",   "],", "}",
    "{}",  "[]",  "null", "true", "false", "name", "id",       "more", "한글", "yes", "no", "12",
    "0.5", "-",   "\n  ", "\\n",  "ab",    "\xed", "\x95\x9c", "1",    "}]",   "\"]", "e"};

/// How often a token is taken: those that end something often, so that answers have an end.
int weight_of(std::string_view text) {
  if (text.find_first_of("\"]}") != text.npos) return 12;
  return text.size() > 1 ? 3 : 1;
}

/// A random answer of the grammar; nothing if it has no end within some tokens.
std::optional<std::string> random_answer(const Grammar& grammar, const BytesTokenizer& tokenizer,
                                         std::mt19937& random) {
  GrammarState state = grammar.start();
  std::string answer;
  for (int step = 0; step < 300; ++step) {
    if (state.is_finished() || (state.is_complete() && random() % 2 == 0)) return answer;
    const auto mask = grammar.mask(state);
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < tokenizer.end_token(); ++id) {
      if (!has_token(*mask, id)) continue;
      allowed.insert(allowed.end(), static_cast<size_t>(weight_of(tokenizer.token_bytes(id))), id);
    }
    if (allowed.empty()) {
      if (!state.is_complete()) qFatal("Nothing may follow %s.", answer.c_str());
      return answer;
    }
    const TokenId token = allowed[random() % allowed.size()];
    answer += tokenizer.token_bytes(token);
    state = grammar.next(state, token);
    if (state.is_broken()) qFatal("An allowed token does not fit after %s.", answer.c_str());
  }
  return std::nullopt;
}

}  // namespace

class TestGrammarOracle : public QObject {
  Q_OBJECT

 private slots:
  /// Every finished answer is JSON that is valid under its schema. With QUIRE_WRITE_ANSWERS they
  /// are also written to that file, a line each, to be checked by another implementation.
  void answers_areValid() {
    const bool is_long = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
    std::ofstream file(qEnvironmentVariable("QUIRE_WRITE_ANSWERS").toStdString());
    const BytesTokenizer tokenizer(kTexts);
    const auto vocabulary = vocabulary_of(tokenizer);
    RandomSchemas schemas(20261126);
    std::mt19937 random(7);
    int compiled = 0, refused = 0, finished = 0;
    for (int i = 0; i < (is_long ? 20000 : 700); ++i) {
      const std::string schema = schemas.next().dump();
      const auto grammar = Grammar::of_schema(schema, vocabulary);
      if (!grammar) {
        const std::string& message = grammar.error().message;
        const bool is_known = message.find("describes no value") != message.npos ||
                              message.find("forbids") != message.npos ||
                              message.find("refers to itself") != message.npos ||
                              message.find("may fit the same value") != message.npos;
        QVERIFY2(is_known, (message + " " + schema).c_str());
        ++refused;
        continue;
      }
      ++compiled;
      const auto parsed = nlohmann::json::parse(schema);
      for (int n = 0; n < 5; ++n) {
        const auto answer = random_answer(**grammar, tokenizer, random);
        if (!answer) continue;
        ++finished;
        const auto value = nlohmann::json::parse(*answer, nullptr, false);
        QVERIFY2(!value.is_discarded(), (*answer + " " + schema).c_str());
        QVERIFY2(is_valid(value, parsed, parsed), (*answer + " " + schema).c_str());
        if (file) file << nlohmann::json{{"schema", parsed}, {"answer", *answer}}.dump() << '\n';
      }
    }
    qInfo("%d schemas compiled, %d refused, %d answers", compiled, refused, finished);
    QVERIFY(compiled > 3 * refused && finished > 3 * compiled);
  }
};

QTEST_APPLESS_MAIN(TestGrammarOracle)
#include "tst_grammar_oracle.moc"
