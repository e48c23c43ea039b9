#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/tokenizer/tokenizer_loader.h"
#include "engine/tokenizer/utf8.h"

using namespace quire;

static const std::string kFolder = QUIRE_SOURCE_DIR "/tests/data/tokenizer/";

static std::unique_ptr<Tokenizer> load(const std::string& name, const SpecialTokens& special = {}) {
  auto tokenizer = load_sentencepiece(kFolder + name + "/tokenizer.model", special);
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

static std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kParts = {"the",      " ",
                                                  "  ",       "page",
                                                  "\n",       "\t",
                                                  "안녕",     "책",
                                                  "🙂",     "👩‍👧",
                                                  "é",        "\xFF",
                                                  "\xE2",     "\x96",
                                                  "\x81",     "\xC0",
                                                  "\xED\xA0", "▁",
                                                  "▁▁",       "<s>",
                                                  "<tool>",   "<|end|>",
                                                  "\xF0\x9F", "0x",
                                                  "<0x0A>",   std::string(1, '\0'),
                                                  "Q",        "…"};
  std::string text;
  for (size_t count = random() % 12; count > 0; --count) text += kParts[random() % kParts.size()];
  return text;
}

class TestSentencePieceTokenizer : public QObject {
  Q_OBJECT
 private slots:
  void models_data() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"exact", "prefixed", "unigram"}) QTest::newRow(name) << name;
  }

  void encode_givesTheReferencesIds_data() {
    models_data();
    // These change text.
    for (const char* name : {"unigram_rules", "bpe_rules"}) QTest::newRow(name) << name;
  }
  void encode_givesTheReferencesIds() {
    QFETCH(QString, model);
    const auto tokenizer = load(model.toStdString());
    QVERIFY(tokenizer);
    std::ifstream file(kFolder + model.toStdString() + "/expected.json");
    const auto cases = nlohmann::json::parse(file);
    QVERIFY(cases.size() >= 400);
    for (const auto& example : cases) {
      const auto text = example["text"].get<std::string>();
      QCOMPARE(tokenizer->encode(text), example["ids"].get<std::vector<TokenId>>());
      if (model.endsWith("rules")) continue;
      QCOMPARE(tokenizer->decode(tokenizer->encode(text)), text);
    }
  }

  void decode_bringsEveryTextBack_data() { models_data(); }
  void decode_bringsEveryTextBack() {
    QFETCH(QString, model);
    const auto tokenizer = load(model.toStdString());
    const uint32_t seed = 42;
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 5000; ++round) {
      const std::string text = random_text(random);
      const std::vector<TokenId> ids = tokenizer->encode(text);
      for (TokenId id : ids) QVERIFY(!tokenizer->is_special(id));
      QCOMPARE(tokenizer->decode(ids), text);
    }
    for (int round = 0; round < 2000; ++round) {
      std::string bytes(random() % 30, ' ');
      for (char& byte : bytes) byte = static_cast<char>(random());
      QCOMPARE(tokenizer->decode(tokenizer->encode(bytes)), bytes);
    }
  }

  void unigram_neverGivesSpecialPieces() {
    const auto plain = load("unigram");
    const TokenId tool = *plain->encode("<tool>").begin();
    const auto guarded = load("unigram", {.names = {"<tool>"}});
    for (TokenId id : guarded->encode("the <tool>")) QVERIFY(!guarded->is_special(id));
    QCOMPARE(guarded->encode_with_special("<tool>"), std::vector<TokenId>{tool});
  }

  void encodeContinuation_addsNoDummyPrefix() {
    const auto tokenizer = load("prefixed");
    QVERIFY(tokenizer->strips_leading_space());
    QCOMPARE(tokenizer->encode_continuation(" the page"), tokenizer->encode("the page"));
    QVERIFY(tokenizer->encode_continuation("the page") != tokenizer->encode("the page"));
    const auto exact = load("exact");
    QVERIFY(!exact->strips_leading_space());
    QCOMPARE(exact->encode_continuation("the page"), exact->encode("the page"));
  }

  void encodeWithSpecial_recognisesSpecialTokens() {
    const auto tokenizer = load("exact");
    const TokenId user = *tokenizer->special_token("<|user|>");
    const TokenId end = *tokenizer->special_token("<|end|>");
    std::vector<TokenId> expected = {user};
    for (TokenId id : tokenizer->encode("the page\n")) expected.push_back(id);
    expected.push_back(end);
    const std::string text = "<|user|>the page\n<|end|>";
    QCOMPARE(tokenizer->encode_with_special(text), expected);
    QCOMPARE(tokenizer->decode(expected), std::string("the page\n"));
    QCOMPARE(tokenizer->decode(expected, true), text);
    QVERIFY(!tokenizer->special_token("the"));
    QVERIFY(tokenizer->encode(text).size() > expected.size());
    QCOMPARE(tokenizer->encode_with_special(""), std::vector<TokenId>());
  }

  void encodeRuns_joinsTextAndTrustsOnlyTheTemplate() {
    const auto tokenizer = load("prefixed");
    const TokenId user = *tokenizer->special_token("<|user|>");
    const std::vector<TextRun> runs = {
        {"<|user|>read the p", false}, {"age <|end|>", true}, {" of pages", false}};
    std::vector<TokenId> expected = {user};
    // Every text after a special token starts anew in this (legacy) model.
    for (TokenId id : tokenizer->encode("read the page <|end|> of pages")) expected.push_back(id);
    QCOMPARE(tokenizer->encode_runs(runs), expected);
    const std::vector<TextRun> split = {{"<|us", false}, {"er|>", true}, {"<|us", false}};
    for (TokenId id : tokenizer->encode_runs(split)) QVERIFY(!tokenizer->is_special(id));
  }

  void encodeWithSpecial_continuesAfterSpecialIfNotLegacy() {
    const auto tokenizer = load("prefixed", {.restarts_after_special = false});
    const TokenId user = *tokenizer->special_token("<|user|>");
    std::vector<TokenId> expected = tokenizer->encode("the");
    expected.push_back(user);
    for (TokenId id : tokenizer->encode_continuation("page")) expected.push_back(id);
    QCOMPARE(tokenizer->encode_with_special("the<|user|>page"), expected);
  }

  void load_addsTokensBeyondTheVocabulary() {
    const int size = load("exact")->vocab_size();
    const auto tokenizer =
        load("exact", {.added = {{.id = size, .content = "<|extra|>", .strips_after = true},
                                 {.id = size + 3, .content = "<think>", .is_special = false}}});
    QVERIFY(tokenizer);
    QCOMPARE(tokenizer->vocab_size(), size + 4);
    QCOMPARE(*tokenizer->special_token("<think>"), size + 3);
    QVERIFY(tokenizer->is_special(size) && !tokenizer->is_special(size + 3));
    std::vector<TokenId> expected = {size};
    for (TokenId id : tokenizer->encode("page")) expected.push_back(id);
    expected.push_back(size + 3);
    QCOMPARE(tokenizer->encode_with_special("<|extra|> \n page<think>"), expected);
    QCOMPARE(tokenizer->decode(expected), std::string("page<think>"));
    QCOMPARE(std::string(tokenizer->token_piece(size + 1)), std::string());
    // As Hugging Face has it: what is not special is found in any text.
    QCOMPARE(tokenizer->encode("<think>"), std::vector<TokenId>{size + 3});
    for (TokenId id : tokenizer->encode("<|extra|>")) QVERIFY(id < size);
  }

  void encode_neverGivesUserDefinedPiecesThatAreSpecial() {
    const auto plain = load("exact");
    const std::vector<TokenId> tool = plain->encode("<tool>");
    QCOMPARE(tool.size(), size_t{1});
    const auto guarded = load("exact", {.names = {"<tool>", "the"}});
    for (TokenId id : guarded->encode("<tool> the")) QVERIFY(!guarded->is_special(id));
    QCOMPARE(guarded->decode(guarded->encode("<tool> the")), std::string("<tool> the"));
    QCOMPARE(guarded->encode_with_special("<tool>"), tool);
  }

  void specialTokens_areLongestFirst() {
    const auto tokenizer = load("exact");
    const auto& contents = tokenizer->special_tokens();
    QVERIFY(std::is_sorted(contents.begin(), contents.end(),
                           [](const auto& a, const auto& b) { return a.size() > b.size(); }));
    QCOMPARE(contents.front(), std::string("<|assistant|>"));
    QCOMPARE(tokenizer->token_piece(*tokenizer->bos_token()), std::string_view("<s>"));
    QCOMPARE(tokenizer->token_piece(*tokenizer->eos_token()), std::string_view("</s>"));
    QCOMPARE(tokenizer->token_bytes(*tokenizer->eos_token()), std::string_view());
    QVERIFY(!tokenizer->adds_bos());
  }

  void encode_inChunksGivesTheIdsOfTheWhole_data() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"exact", "prefixed"}) QTest::newRow(name) << name;
  }
  void encode_inChunksGivesTheIdsOfTheWhole() {
    QFETCH(QString, model);
    const auto tokenizer = load(model.toStdString());
    std::mt19937 random(5);
    std::string text;
    std::vector<TokenId> expected;
    // Sentences after a line break are encoded apart here and in 64 KiB chunks there: neither may
    // change an id, as no piece holds a line break.
    while (text.size() < 400'000) {
      std::string line;
      for (int i = 0; i < 12; ++i) {
        static const char* kWords[] = {" ",       " the",    " reader", " 책을",
                                       "  turns", " <tool>", " x1"};
        line += kWords[random() % 7];
      }
      line += '\n';
      const auto ids =
          text.empty() ? tokenizer->encode(line) : tokenizer->encode_continuation(line);
      expected.insert(expected.end(), ids.begin(), ids.end());
      text += line;
    }
    QCOMPARE(tokenizer->encode(text), expected);
  }

  void encode_ofHugeTextIsLinear_data() {
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("model");
    for (const char* unit : {"a", "the page ", "책", " "}) QTest::newRow(unit) << unit << "exact";
    QTest::newRow("unigram") << "the page "
                             << "unigram";
  }
  void encode_ofHugeTextIsLinear() {
    QFETCH(QString, unit);
    QFETCH(QString, model);
    const auto tokenizer = load(model.toStdString());
    std::string text;
    while (text.size() < 1'000'000) text += unit.toStdString();
    QElapsedTimer timer;
    timer.start();
    const std::vector<TokenId> ids = tokenizer->encode(text);
    // Some 0.6 s without optimisation; a quadratic way would take hours.
    QVERIFY2(timer.elapsed() < 60'000, "quadratic?");
    QCOMPARE(tokenizer->decode(ids), text);
  }
};

QTEST_APPLESS_MAIN(TestSentencePieceTokenizer)
#include "tst_sentencepiece_tokenizer.moc"
