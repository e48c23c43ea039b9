#include <QtTest>
#include <random>

#include "engine/tokenizer/utf8.h"

using namespace quire;

/// Bytes that are rich in beginnings, continuations and edges of ranges.
static std::string random_bytes(std::mt19937& random, size_t max_length) {
  static const std::string kPool(
      "aZ \n\x80\x9F\xA0\xBF\xC0\xC2\xDF\xE0\xE2\xED\xEF\xF0\xF4\xF5\xFF\0", 20);
  std::string bytes(random() % (max_length + 1), ' ');
  for (char& byte : bytes) byte = kPool[random() % kPool.size()];
  return bytes;
}

static std::string repaired(const std::string& bytes) {
  Utf8Stream stream;
  std::string text;
  stream.append(bytes, text);
  stream.finish(text);
  return text;
}

class TestUtf8 : public QObject {
  Q_OBJECT
 private slots:
  void finish_replacesMaximalSubparts_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const QByteArray& bytes, const QByteArray& text) {
      QTest::newRow(name) << bytes << text;
    };
    // The Unicode Standard 15.0, tables 3-8 to 3-11; R stands for U+FFFD.
    row("table 3-8", "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "RRRRRRRRA");
    row("table 3-9", "\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "RRRRRRRRA");
    row("table 3-10", "\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "RRRRRARRB");
    row("table 3-11", "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "RRRRA");
    row("whole", "a\xC2\xA9\xED\x95\x9C\xF0\x9F\x99\x82", "a\xC2\xA9\xED\x95\x9C\xF0\x9F\x99\x82");
    row("cut at the end", "ab\xF0\x9F\x99", "abR");
  }
  void finish_replacesMaximalSubparts() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, text);
    const QByteArray expected = text.replace("R", "\xEF\xBF\xBD");
    QCOMPARE(QByteArray::fromStdString(repaired(bytes.toStdString())), expected);
  }

  void append_emitsWholeCharactersInAnyChunks() {
    const uint32_t seed = 20260101;
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 20000; ++round) {
      const std::string bytes = random_bytes(random, 24);
      Utf8Stream stream;
      std::string joined;
      for (size_t i = 0; i < bytes.size();) {
        const size_t length = 1 + random() % 4;
        std::string piece;
        stream.append(std::string_view(bytes).substr(i, length), piece);
        QVERIFY(is_valid_utf8(piece));
        joined += piece;
        i += length;
      }
      stream.finish(joined);
      QCOMPARE(joined, repaired(bytes));
      QCOMPARE(QString::fromUtf8(joined.data(), static_cast<qsizetype>(joined.size())).toUtf8(),
               QByteArray::fromStdString(joined));
      if (is_valid_utf8(bytes)) QCOMPARE(joined, bytes);
    }
  }
};

QTEST_APPLESS_MAIN(TestUtf8)
#include "tst_utf8.moc"
