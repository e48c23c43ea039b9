#include <QTest>

#include "app/remote/response_reader.h"

using namespace quire;

namespace {

struct Read {
  ResponseReader reader;
  QByteArray body;
};

/// Reads the stream in pieces of that size, then the end of the connection.
Read readAll(const QByteArray& stream, qsizetype size) {
  Read read;
  for (qsizetype at = 0; at < stream.size(); at += size)
    read.body += read.reader.append(stream.mid(at, size));
  if (!read.reader.isComplete()) read.reader.close();
  return read;
}

}  // namespace

class ResponseReaderTest : public QObject {
  Q_OBJECT

 private slots:
  void append_readsResponses_data() {
    QTest::addColumn<QByteArray>("stream");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char* name, const QByteArray& stream, int status,
                        const QByteArray& body) {
      QTest::newRow(name) << stream << status << body;
    };
    row("a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello");
    row("until the end", "HTTP/1.0 200 OK\r\n\r\nhello", 200, "hello");
    row("no reason", "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", 404, "");
    row("chunks",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n002;x=y\r\nlo\r\n0\r\n"
        "Trailer: x\r\n\r\n",
        200, "hello");
    row("capital digits",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n", 200,
        "0123456789");
    row("line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, "hi");
    row("an interim response",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi");
    row("no content", "HTTP/1.1 204 No\r\n\r\n", 204, "");
    row("chunks win over a length",
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n"
        "0\r\n\r\n",
        200, "hi");
  }
  void append_readsResponses() {
    QFETCH(QByteArray, stream);
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    for (qsizetype size = 1; size <= stream.size(); ++size) {
      const Read read = readAll(stream, size);
      QVERIFY(read.reader.isComplete());
      QCOMPARE(read.reader.head().status, status);
      QCOMPARE(read.body, body);
    }
  }

  void append_refusesWhatIsNoResponse_data() {
    QTest::addColumn<QByteArray>("stream");
    const auto row = [](const char* name, const QByteArray& stream) {
      QTest::newRow(name) << stream;
    };
    row("another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n");
    row("no status", "HTTP/1.1 OK\r\n\r\n");
    row("a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n");
    row("a switch of protocols", "HTTP/1.1 101 Switching\r\n\r\n");
    row("no colon", "HTTP/1.1 200 OK\r\nheader\r\n\r\n");
    row("a folded header", "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n");
    row("a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n");
    row("no length", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n");
    row("a huge length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n");
    row("an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n");
    row("a chunk without a size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n");
    row("a negative chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n");
    row("a chunk that is too long",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n");
    row("cut off in the head", "HTTP/1.1 200 OK\r\nContent-Le");
    row("cut off in the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell");
    row("cut off before the last chunk",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n");
  }
  void append_refusesWhatIsNoResponse() {
    QFETCH(QByteArray, stream);
    for (qsizetype size = 1; size <= stream.size(); ++size)
      QVERIFY(readAll(stream, size).reader.hasFailed());
  }

  void append_boundsTheHead_data() {
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<QByteArray>("piece");
    QTest::newRow("a line without end") << QByteArray() << QByteArray(512, 'x');
    QTest::newRow("headers without end")
        << QByteArray("HTTP/1.1 200 OK\r\n") << QByteArray("a: b\r\n");
    QTest::newRow("long headers without end")
        << QByteArray("HTTP/1.1 200 OK\r\n") << "a: " + QByteArray(4000, 'b') + "\r\n";
    QTest::newRow("interim responses without end")
        << QByteArray() << QByteArray("HTTP/1.1 102 Wait\r\n\r\n");
    QTest::newRow("trailers without end")
        << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
        << QByteArray("a: b\r\n");
    QTest::newRow("a chunk's extension without end")
        << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;")
        << QByteArray(512, 'x');
  }
  void append_boundsTheHead() {
    QFETCH(QByteArray, begin);
    QFETCH(QByteArray, piece);
    ResponseReader reader;
    reader.append(begin);
    qsizetype sent = 0;
    while (!reader.hasFailed() && sent < (8 << 20)) {
      QVERIFY(reader.append(piece).isEmpty());
      sent += piece.size();
    }
    QVERIFY(reader.hasFailed());
    QVERIFY2(sent <= 2 * ResponseReader::kMaxHeadBytes, qPrintable(QString::number(sent)));
  }

  void header_isFoundInAnyCase() {
    ResponseReader reader;
    reader.append("HTTP/1.1 429 Busy\r\nRETRY-after:  7 \r\nContent-Length: 0\r\n\r\n");
    QCOMPARE(reader.head().header("retry-after"), QByteArray("7"));
    QCOMPARE(reader.head().header("location"), QByteArray());
  }
};

QTEST_APPLESS_MAIN(ResponseReaderTest)
#include "tst_response_reader.moc"
