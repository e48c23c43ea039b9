#include <QtTest>
#include <fstream>
#include <iterator>
#include <random>

#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/tokenizer_loader.h"

using namespace quire;

static std::string read_model(const std::string& name) {
  std::ifstream file(QUIRE_SOURCE_DIR "/tests/data/tokenizer/" + name + "/tokenizer.model",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class TestSentencePieceProto : public QObject {
  Q_OBJECT
 private slots:
  void parse_readsPiecesAndNormaliser() {
    const std::string bytes = read_model("prefixed");
    const auto model = parse_sentencepiece_model(bytes);
    QVERIFY(model);
    QVERIFY(model->add_dummy_prefix && !model->remove_extra_whitespaces);
    QVERIFY(model->charsmap.empty());
    QCOMPARE(model->pieces[0].text, std::string_view("<unk>"));
    QVERIFY(model->pieces[0].type == PieceType::kUnknown);
    QVERIFY(model->pieces[1].type == PieceType::kControl);
    const std::string other = read_model("exact");
    QVERIFY(!parse_sentencepiece_model(other)->add_dummy_prefix);
  }

  /// Whatever the bytes, loading ends in a tokenizer or an Error; sanitizers watch.
  void load_survivesDamage_data() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"exact", "prefixed", "unigram", "unigram_rules", "bpe_rules"}) {
      QTest::newRow(name) << name;
    }
  }
  void load_survivesDamage() {
    QFETCH(QString, model);
    const std::string bytes = read_model(model.toStdString());
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/tokenizer.model";
    const uint32_t seed = 11;
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    int failures = 0;
    for (int round = 0; round < 300; ++round) {
      std::string damaged = bytes;
      if (round % 3 == 0) damaged.resize(random() % damaged.size());
      for (int i = 0; i < 3 && !damaged.empty(); ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      std::ofstream(path, std::ios::binary) << damaged;
      const auto tokenizer = load_sentencepiece(path);
      failures += !tokenizer;
      if (tokenizer) (void)tokenizer.value()->encode("the page \xFF 안녕 <tool> 🙂");
    }
    QVERIFY(failures > 30);
  }

  void parse_refusesCharsmapsThatLeaveTheirArrays_data() {
    QTest::addColumn<QByteArray>("charsmap");
    QByteArray trie(256 * 4, '\0');
    const auto row = [](const char* name, quint32 size, const QByteArray& rest) {
      QByteArray charsmap(4, '\0');
      qToLittleEndian(size, charsmap.data());
      QTest::newRow(name) << charsmap + rest;
    };
    row("trie longer than the rules", 4096, trie);
    row("no replacements", 1024, trie);
    row("replacements without an end", 1024, trie + "abc");
    row("uneven trie", 1023, trie + QByteArray(2, '\0'));
    QByteArray far = trie;
    qToLittleEndian(quint32{1000} << 10, far.data());
    row("root leads out", 1024, far + QByteArray(1, '\0'));
    QByteArray leaf = trie;
    qToLittleEndian((quint32{16} << 10) | (1u << 8), leaf.data());
    qToLittleEndian(0x80000000u | 77u, leaf.data() + 16 * 4);
    row("value leads out", 1024, leaf + QByteArray(5, '\0'));
  }
  void parse_refusesCharsmapsThatLeaveTheirArrays() {
    QFETCH(QByteArray, charsmap);
    // normalizer_spec (3) with precompiled_charsmap (2); lengths as two-byte varints.
    const auto field = [](char tag, const std::string& content) {
      const auto size = static_cast<unsigned>(content.size());
      return std::string{tag, static_cast<char>((size & 0x7F) | 0x80),
                         static_cast<char>(size >> 7)} +
             content;
    };
    const std::string bytes =
        read_model("exact") + field('\x1A', field('\x12', charsmap.toStdString()));
    const auto model = parse_sentencepiece_model(bytes);
    QVERIFY(!model);
    QCOMPARE(model.error().message, std::string("its normalisation rules are damaged"));
  }
};

QTEST_APPLESS_MAIN(TestSentencePieceProto)
#include "tst_sentencepiece_proto.moc"
