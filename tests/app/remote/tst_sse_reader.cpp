#include <QTest>

#include "app/remote/sse_reader.h"

using namespace quire;

class SseReaderTest : public QObject {
  Q_OBJECT

 private slots:
  void append_readsEvents_data() {
    QTest::addColumn<QByteArray>("stream");
    QTest::addColumn<QList<QByteArray>>("data");
    using List = QList<QByteArray>;
    QTest::newRow("line feeds") << QByteArray("data: a\n\ndata: b\n\n") << List{"a", "b"};
    QTest::newRow("CR and LF") << QByteArray("data: a\r\n\r\ndata: b\r\n\r\n") << List{"a", "b"};
    QTest::newRow("CR alone") << QByteArray("data: a\r\rdata: b\r\r") << List{"a", "b"};
    QTest::newRow("comments") << QByteArray(": ping\n\n:\n\ndata: a\n: x\n\n") << List{"a"};
    QTest::newRow("several lines") << QByteArray("data: a\ndata: b\ndata\n\n") << List{"a\nb\n"};
    QTest::newRow("no space") << QByteArray("data:a\n\ndata:  b\n\n") << List{"a", " b"};
    QTest::newRow("other fields") << QByteArray("id: 7\nevent: x\nretry: 5\nfoo: bar\ndata: a\n\n")
                                  << List{"a"};
    QTest::newRow("no data") << QByteArray("event: x\n\n\n\n") << List{};
    QTest::newRow("a mark at its start") << QByteArray(
                                                "\xef\xbb\xbf"
                                                "data: a\n\n")
                                         << List{"a"};
    QTest::newRow("no end") << QByteArray("data: a\n\ndata: b") << List{"a", "b"};
    QTest::newRow("no empty line") << QByteArray("data: a\n\ndata: b\n") << List{"a", "b"};
    QTest::newRow("letters of several bytes") << QByteArray(
                                                     "data: Gr\xc3\xbc\xc3\x9f"
                                                     "e \xf0\x9f\x8e\x89\n\n")
                                              << List{
                                                     "Gr\xc3\xbc\xc3\x9f"
                                                     "e \xf0\x9f\x8e\x89"};
  }
  /// However the stream is cut into pieces.
  void append_readsEvents() {
    QFETCH(QByteArray, stream);
    QFETCH(QList<QByteArray>, data);
    for (qsizetype size = 1; size <= stream.size(); ++size) {
      SseReader reader;
      QList<SseEvent> events;
      for (qsizetype at = 0; at < stream.size(); at += size)
        events += reader.append(stream.mid(at, size));
      if (const auto last = reader.finish()) events.append(*last);
      QList<QByteArray> read;
      for (const SseEvent& event : events) read.append(event.data);
      QCOMPARE(read, data);
    }
  }

  void append_keepsTheType() {
    SseReader reader;
    const QList<SseEvent> events = reader.append("event: error\ndata: a\n\ndata: b\n\n");
    QCOMPARE(events.value(0), (SseEvent{"error", "a"}));
    QCOMPARE(events.value(1), (SseEvent{"", "b"}));
  }

  void append_boundsAnEvent_data() {
    QTest::addColumn<QByteArray>("piece");
    QTest::newRow("a line without end") << QByteArray(4096, 'x');
    QTest::newRow("lines without end") << QByteArray("data: 0123456789\n").repeated(256);
    QTest::newRow("empty lines of data") << QByteArray("data\n").repeated(1024);
  }
  void append_boundsAnEvent() {
    QFETCH(QByteArray, piece);
    SseReader reader;
    qsizetype sent = 0;
    while (!reader.hasFailed() && sent < 64 * SseReader::kMaxEventBytes) {
      QVERIFY(reader.append(piece).isEmpty());
      sent += piece.size();
    }
    QVERIFY(reader.hasFailed());
    QVERIFY(!reader.finish());
    QVERIFY(reader.append("data: a\n\n").isEmpty());
  }
};

QTEST_APPLESS_MAIN(SseReaderTest)
#include "tst_sse_reader.moc"
