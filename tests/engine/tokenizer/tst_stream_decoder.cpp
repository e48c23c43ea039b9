#include <QtTest>
#include <random>

#include "engine/tokenizer/stream_decoder.h"
#include "engine/tokenizer/tokenizer_loader.h"

using namespace quire;

static std::unique_ptr<Tokenizer> load(const char* name) {
  auto tokenizer = load_sentencepiece(std::string(QUIRE_SOURCE_DIR "/tests/data/tokenizer/") +
                                      name + "/tokenizer.model");
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

static std::string stream(StreamDecoder decoder, const std::vector<TokenId>& ids) {
  std::string text;
  for (TokenId id : ids) text += decoder.push(id);
  return text + decoder.finish();
}

class TestStreamDecoder : public QObject {
  Q_OBJECT
 private slots:
  void push_holdsAnUnfinishedCharacter() {
    const auto tokenizer = load("exact");
    QVERIFY(tokenizer);
    const std::vector<TokenId> ids = tokenizer->encode("🙂!");
    QCOMPARE(ids.size(), size_t{5});
    StreamDecoder decoder(*tokenizer);
    for (size_t i = 0; i < 3; ++i) QCOMPARE(decoder.push(ids[i]), std::string());
    QCOMPARE(decoder.push(ids[3]), std::string("🙂"));
    QCOMPARE(decoder.push(ids[4]), std::string("!"));
    QCOMPARE(decoder.push(ids[0]), std::string());
    QCOMPARE(decoder.finish(), std::string(kReplacementCharacter));
    QCOMPARE(decoder.finish(), std::string());
  }

  void push_keepsReplacementCharactersOfTheModel() {
    const auto tokenizer = load("exact");
    const std::string text = "a\xEF\xBF\xBD\xEF\xBF\xBD z";
    QCOMPARE(stream(StreamDecoder(*tokenizer), tokenizer->encode(text)), text);
  }

  void push_showsSpecialTokens_ifAskedTo() {
    const auto tokenizer = load("exact");
    std::vector<TokenId> ids = tokenizer->encode("so");
    const TokenId eos = *tokenizer->eos_token();
    ids.push_back(eos);
    ids.push_back(*tokenizer->bos_token());
    QCOMPARE(stream(StreamDecoder(*tokenizer), ids), std::string("so"));
    StreamDecoder shown(*tokenizer);
    shown.show({eos});
    QCOMPARE(stream(shown, ids), "so" + std::string(tokenizer->token_piece(eos)));
  }

  void push_dropsTheDummyPrefixOnlyAtTheStart() {
    const auto tokenizer = load("prefixed");
    const std::vector<TokenId> ids = tokenizer->encode("the page");
    QCOMPARE(stream(StreamDecoder(*tokenizer), ids), std::string("the page"));
    QCOMPARE(stream(StreamDecoder(*tokenizer, false), ids), std::string(" the page"));
    const std::vector<TokenId> spaced = tokenizer->encode("  the page");
    QCOMPARE(stream(StreamDecoder(*tokenizer), spaced), std::string("  the page"));
  }

  void push_ofAnyIdsEqualsTheWholeDecode_data() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"exact", "prefixed", "unigram"}) QTest::newRow(name) << name;
  }
  void push_ofAnyIdsEqualsTheWholeDecode() {
    QFETCH(QString, model);
    const auto tokenizer = load(qPrintable(model));
    const uint32_t seed = 7;
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 3000; ++round) {
      std::vector<TokenId> ids(random() % 20);
      // A little out of range on both sides: such ids add nothing.
      for (TokenId& id : ids) {
        const auto range = static_cast<uint32_t>(round % 2 ? 262 : tokenizer->vocab_size() + 8);
        id = static_cast<TokenId>(random() % range) - 2;
      }
      Utf8Stream whole;
      std::string expected;
      whole.append(tokenizer->decode(ids), expected);
      whole.finish(expected);
      StreamDecoder decoder(*tokenizer);
      std::string text;
      for (TokenId id : ids) {
        const std::string piece = decoder.push(id);
        QVERIFY(is_valid_utf8(piece));
        text += piece;
      }
      QCOMPARE(text + decoder.finish(), expected);
    }
  }
};

QTEST_APPLESS_MAIN(TestStreamDecoder)
#include "tst_stream_decoder.moc"
