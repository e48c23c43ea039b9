#include <QtTest>

#include <string>

#include "engine/io/hash.h"

using quire::Sha256;
using quire::to_hex;

/// Vectors of FIPS 180-4's examples and of NIST's CAVP (SHA256ShortMsg).
class TestHash : public QObject {
  Q_OBJECT

 private slots:
  void sha256_matchesPublishedVectors_data() {
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QString>("digest");
    QTest::newRow("empty") << QByteArray()
                           << "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    QTest::newRow("abc") << QByteArray("abc")
                         << "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    QTest::newRow("two blocks")
        << QByteArray("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        << "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    QTest::newRow("a million a")
        << QByteArray(1000000, 'a')
        << "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  }
  void sha256_matchesPublishedVectors() {
    QFETCH(QByteArray, message);
    QFETCH(QString, digest);
    Sha256 hash;
    hash.update(std::string_view(message.constData(), message.size()));
    QCOMPARE(QString::fromStdString(to_hex(hash.finish())), digest);
  }

  void sha256_doesNotDependOnHowItIsFed() {
    for (size_t size = 0; size < 200; ++size) {
      const std::string text(size, 'q');
      Sha256 whole, pieces;
      whole.update(text);
      for (size_t at = 0; at < size; at += 7) pieces.update(std::string_view(text).substr(at, 7));
      QCOMPARE(to_hex(pieces.finish()), to_hex(whole.finish()));
    }
  }

  void updateField_keepsFieldsApart() {
    Sha256 left, right;
    left.update_field("ab");
    left.update_field("c");
    right.update_field("a");
    right.update_field("bc");
    QVERIFY(left.finish() != right.finish());
  }
};

QTEST_APPLESS_MAIN(TestHash)
#include "tst_hash.moc"
