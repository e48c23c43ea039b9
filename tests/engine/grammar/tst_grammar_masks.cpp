#include <sys/resource.h>

#include <QtTest>

#include <random>
#include <set>

#include "tests/engine/grammar/grammar_test_support.h"
#include "tests/support/sanitizers.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Texts that cross the borders of JSON's parts in every way: pieces of JSON, of characters of
/// several bytes, of escapes, and long ones.
std::vector<std::string> random_texts(std::mt19937& random, int count) {
  const std::vector<std::string> pieces = {
      "\"",   "\":",      "\",",      "\"}",
      "\"]",  "{\"",      "[\"",      "{",
      "}",    "[",        "]",        ",",
      ":",    " ",        "\n",       "  ",
      "a",    "ab",       "name",     "b\"",
      "1",    "12",       "-",        ".5",
      "e",    "true",     "null",     "fal",
      "se",   "\\",       "\\\"",     "\\u",
      "00",   "d8",       "é",        "한",
      "\xed", "\x95\x9c", "\xf0\x9f", "\x98\x80",
      "x",    "\t",       "0",        "----------------------------------------"};
  std::set<std::string> texts;
  while (std::ssize(texts) < count) {
    std::string text;
    for (int parts = 1 + static_cast<int>(random() % 4); parts > 0; --parts) {
      text += pieces[random() % pieces.size()];
    }
    texts.insert(text);
  }
  std::vector<std::string> all(texts.begin(), texts.end());
  std::shuffle(all.begin(), all.end(), random);
  all.push_back(all.front());  // Two tokens may have the same bytes.
  return all;
}

const std::vector<const char*> kSchemas = {
    R"({"type": "object"})",
    R"({"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 3}})",
    R"({"type": "array", "items": {"type": "string", "maxLength": 30}, "minItems": 2})",
    R"({"properties": {"name": {"type": "string"}, "ab": {"type": "number"}, "a": {}},
        "required": ["name"], "additionalProperties": {"type": ["null", "string"]}})",
    R"({"properties": {"a": {"enum": ["name", "b", null, 12]}, "b": {"type": "string",
        "pattern": "^[a-c]+(é|한)?$"}, "ab": {"type": "string", "format": "date"}}})",
    R"({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "array",
        "items": {"enum": ["a", "ab", "name"]}}, {"type": "array", "items": {"const": "ab"}},
        {"type": "integer"}]})",
    R"({"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        "required": ["a"]})",
    R"({"type": "number", "minimum": -20, "maximum": 120})",
};

}  // namespace

/// Masks hold exactly the tokens that can be read.
class TestGrammarMasks : public QObject {
  Q_OBJECT

 private slots:
  void mask_holdsWhatMayFollow_data() {
    QTest::addColumn<int>("schema");
    for (size_t i = 0; i < kSchemas.size(); ++i) QTest::addRow("%zu", i) << int(i);
  }
  void mask_holdsWhatMayFollow() {
    QFETCH(int, schema);
    std::mt19937 random(static_cast<uint32_t>(schema) + 1);
    const BytesTokenizer tokenizer(random_texts(random, 600));
    const auto vocabulary = vocabulary_of(tokenizer);
    const auto grammar = grammar_of(kSchemas[size_t(schema)], vocabulary);
    int checked = 0;
    for (int walk = 0; walk < 12; ++walk) {
      GrammarState state = grammar->start();
      for (int step = 0; step < 40 && !state.is_finished(); ++step, ++checked) {
        const auto mask = grammar->mask(state);
        std::vector<TokenId> allowed;
        for (TokenId id = 0; id < tokenizer.end_token(); ++id) {
          const bool fits = !grammar->next(state, id).is_broken();
          const std::string text(tokenizer.token_bytes(id));
          QVERIFY2(has_token(*mask, id) == fits, qPrintable(QString::fromStdString(text)));
          // Long tokens and those that end something are taken more often.
          if (fits) allowed.insert(allowed.end(), text.size() > 1 ? 3 : 1, id);
        }
        QCOMPARE(has_token(*mask, tokenizer.end_token()), state.is_complete());
        QVERIFY(!allowed.empty() || state.is_complete());
        if (allowed.empty()) break;
        state = grammar->next(state, allowed[random() % allowed.size()]);
      }
    }
    QVERIFY(checked > 30);
  }

  /// The same bytes are allowed whether they come as one token or one by one.
  void next_readsTokensAsTheirBytes() {
    std::mt19937 random(5);
    const BytesTokenizer tokenizer(random_texts(random, 400));
    const auto vocabulary = vocabulary_of(tokenizer);
    for (const char* schema : kSchemas) {
      const auto grammar = grammar_of(schema, vocabulary);
      GrammarState state = grammar->start();
      for (int step = 0; step < 60 && !state.is_finished(); ++step) {
        std::vector<GrammarState> following;
        for (TokenId id = 0; id < tokenizer.end_token(); ++id) {
          GrammarState bytewise = state;
          for (const char c : tokenizer.token_bytes(id)) {
            bytewise = grammar->next(bytewise, static_cast<uint8_t>(c));
          }
          const GrammarState whole = grammar->next(state, id);
          QVERIFY(whole == bytewise);
          if (!whole.is_broken()) following.push_back(whole);
        }
        if (following.empty()) break;
        state = following[random() % following.size()];
      }
    }
  }

  /// Of a vocabulary that no model has, so much is in the trie as real ones need.
  void longTokens_takeBoundedMemory() {
#ifdef QUIRE_IS_SANITIZED
    QSKIP("A sanitizer's own memory counts.");
#endif
    std::mt19937 random(3);
    std::vector<std::string> texts(100'000);
    for (std::string& text : texts) {
      while (text.size() < 250) text += static_cast<char>('a' + random() % 26);
    }
    const BytesTokenizer tokenizer(texts);
    const auto vocabulary = vocabulary_of(tokenizer);
    const auto grammar = grammar_of(kSchemas[0], vocabulary);
    QVERIFY(has_token(*grammar->mask(grammar->start()), '{'));
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto peak_mb = usage.ru_maxrss / 1024;
    QVERIFY2(peak_mb < 300, qPrintable(QString::number(peak_mb)));
  }

  void endTokensAndUnknownOnes_areNoText() {
    const BytesTokenizer tokenizer;
    const auto grammar = grammar_of("{}", vocabulary_of(tokenizer));
    const GrammarState start = grammar->start();
    for (const TokenId id : {tokenizer.end_token(), TokenId{-1}, TokenId{100000}}) {
      QVERIFY(grammar->next(start, id).is_broken());
    }
  }

  void vocabulary_mayHaveNoTokens() {
    const BytesTokenizer tokenizer;
    const auto none =
        std::make_shared<const GrammarVocabulary>(tokenizer, 0, std::vector<TokenId>{});
    QVERIFY(is_empty(*grammar_of("{}", none)->mask(grammar_of("{}", none)->start())));
    // More logits than tokens, as padded vocabularies have.
    const auto padded = std::make_shared<const GrammarVocabulary>(
        tokenizer, 300, std::vector{tokenizer.end_token()});
    const auto grammar = grammar_of("{}", padded);
    QCOMPARE(grammar->mask(grammar->start())->size(), size_t{10});
    QVERIFY(!has_token(*grammar->mask(grammar->start()), 299));
    QVERIFY(has_token(*grammar->mask(grammar->start()), '{'));
  }
};

QTEST_APPLESS_MAIN(TestGrammarMasks)
#include "tst_grammar_masks.moc"
