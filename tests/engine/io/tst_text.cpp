#include "engine/io/text.h"

#include <QTest>

using namespace quire;

class TestText : public QObject {
  Q_OBJECT

 private slots:
  void forMessage_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    const QByteArray eighty(80, 'a');
    QTest::newRow("plain") << QByteArray("token") << QByteArray("token");
    QTest::newRow("quote") << QByteArray("a\"b") << QByteArray("a?b");
    QTest::newRow("escape") << QByteArray("\x1b[1m") << QByteArray("<U+001B>[1m");
    QTest::newRow("override") << QByteArray("\xE2\x80\xAEgpj.exe") << QByteArray("<U+202E>gpj.exe");
    QTest::newRow("no UTF-8") << QByteArray("\xFF") << QByteArray("<0xFF>");
    QTest::newRow("80 bytes") << eighty << eighty;
    QTest::newRow("more") << eighty + "b" << eighty + "...";
    QTest::newRow("cut within a character")
        << QByteArray(79, 'a') + "한" << QByteArray(79, 'a') + "...";
    QTest::newRow("many stray bytes")
        << QByteArray(90, '\x80') << QByteArray("<0x80>").repeated(77) + "...";
  }
  void forMessage() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(for_message(text.toStdString())), shown);
  }
};

QTEST_APPLESS_MAIN(TestText)
#include "tst_text.moc"
