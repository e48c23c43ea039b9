#include <QtTest>
#include <fstream>
#include <iterator>
#include <random>

#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/tokenizer_loader.h"

using namespace quire;

namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string message_field(uint32_t number, const std::string& content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

/// A small field of any wire type but that of a group.
std::string any_field(uint32_t number, uint32_t wire_type) {
  if (wire_type == 2) return message_field(number, "x");
  const size_t num_bytes = wire_type == 0 ? 1 : (wire_type == 1 ? 8 : 4);
  return varint(number << 3 | wire_type) + std::string(num_bytes, '\1');
}

}  // namespace

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

  void wrongWireType_isRefused_data() {
    QTest::addColumn<QByteArray>("field");
    QTest::addColumn<QString>("says");
    /// `part`: the number of the message within the model, 0 for the model itself.
    struct Known {
      uint32_t part, number, wire_type;
    };
    const Known fields[] = {{0, 1, 2},  {0, 2, 2}, {0, 3, 2},  {1, 1, 2},  {1, 2, 5},
                            {1, 3, 0},  {2, 3, 0}, {2, 35, 0}, {2, 24, 0}, {2, 46, 2},
                            {2, 47, 2}, {3, 2, 2}, {3, 3, 0},  {3, 4, 0},  {3, 5, 0}};
    const char* const parts[] = {"it", "piece", "its trainer_spec", "its normalizer_spec"};
    for (const Known& known : fields) {
      for (const uint32_t wire_type : {0u, 1u, 2u, 5u}) {
        if (wire_type == known.wire_type) continue;
        std::string field = any_field(known.number, wire_type);
        if (known.part == 1) field = message_field(1, "a") + field;
        if (known.part != 0) field = message_field(known.part, field);
        QTest::addRow("%s %u as %u", parts[known.part], known.number, wire_type)
            << QByteArray::fromStdString(field)
            << QString("%1 in the wrong wire type %2")
                   .arg(known.part == 1 ? QString(" has its field %1").arg(known.number)
                                        : QString("%1 has its field %2")
                                              .arg(parts[known.part])
                                              .arg(known.number))
                   .arg(wire_type);
      }
    }
  }
  void wrongWireType_isRefused() {
    QFETCH(QByteArray, field);
    QFETCH(QString, says);
    const std::string bytes = read_model("exact") + field.toStdString();
    const auto model = parse_sentencepiece_model(bytes);
    QVERIFY(!model);
    QCOMPARE(model.error().code, ErrorCode::kCorruptFile);
    QVERIFY2(model.error().message.ends_with(says.toStdString()), model.error().message.c_str());
  }

  void unknownFields_mayHaveAnyWireType() {
    std::string bytes = read_model("exact");
    for (const uint32_t wire_type : {0u, 1u, 2u, 5u}) {
      bytes += any_field(200, wire_type) + message_field(2, any_field(200, wire_type)) +
               message_field(3, any_field(200, wire_type));
    }
    QVERIFY(parse_sentencepiece_model(bytes).has_value());
  }

  void tooManyPieces_areRefused() {
    const std::string piece = message_field(1, message_field(1, "a"));
    std::string bytes;
    for (int i = 0; i < (1 << 19) + 1; ++i) bytes += piece;
    const auto model = parse_sentencepiece_model(bytes);
    QVERIFY(!model);
    QCOMPARE(model.error().message, std::string("it has more than 524288 pieces"));
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
