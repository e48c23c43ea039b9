#include <QJsonDocument>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>
#include <QThread>
#include <atomic>
#include <functional>

#include "tests/app/cli/cli_process.h"

using quire::CliResult;
using quire::runCli;

namespace {

/// An endpoint that answers each request with bytes of the test's own choice, on a thread.
class FakeEndpoint : public QThread {
 public:
  /// The answer to a request of that path and body; what it returns is sent as it is, in pieces of
  /// `pieceBytes`, and the connection is closed, unless the client is to do that.
  using Answer = std::function<QByteArray(const QByteArray& path, const QByteArray& request)>;

  explicit FakeEndpoint(Answer answer, int pieceBytes = 1 << 20, bool closes = true)
      : m_answer(std::move(answer)), m_pieceBytes(pieceBytes), m_closes(closes) {
    start();
    while (m_port == 0) QThread::msleep(1);
  }
  ~FakeEndpoint() override {
    quit();
    wait();
  }
  QString url() const { return QString("http://127.0.0.1:%1").arg(m_port.load()); }
  int mostAtOnce() const { return m_most; }
  int numRequests() const { return m_requests; }

 protected:
  void run() override {
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    QObject::connect(&server, &QTcpServer::newConnection, [&] {
      QTcpSocket* socket = server.nextPendingConnection();
      m_most = std::max(m_most.load(), ++m_open);
      QObject::connect(socket, &QTcpSocket::disconnected, [&, socket] {
        --m_open;
        socket->deleteLater();
      });
      QObject::connect(socket, &QTcpSocket::readyRead, [this, socket] { read(socket); });
    });
    m_port = server.serverPort();
    exec();
  }

 private:
  void read(QTcpSocket* socket) {
    const QByteArray request = socket->property("request").toByteArray() + socket->readAll();
    socket->setProperty("request", request);
    const qsizetype head = request.indexOf("\r\n\r\n");
    if (head < 0) return;
    const qsizetype at = request.indexOf("Content-Length: ");
    const int length =
        at < 0 ? 0 : request.mid(at + 16, request.indexOf('\r', at) - at - 16).toInt();
    if (request.size() < head + 4 + length) return;
    ++m_requests;
    QByteArray rest = m_answer(request.split(' ').value(1), request);
    const auto isOpen = [socket] { return socket->state() == QAbstractSocket::ConnectedState; };
    for (; !rest.isEmpty() && isOpen(); rest = rest.mid(m_pieceBytes)) {
      socket->write(rest.left(m_pieceBytes));
      socket->waitForBytesWritten(1000);
    }
    if (m_closes) socket->disconnectFromHost();
  }

  const Answer m_answer;
  const int m_pieceBytes;
  const bool m_closes;
  std::atomic<int> m_port = 0, m_most = 0, m_open = 0, m_requests = 0;
};

QByteArray response(const QByteArray& body, const QByteArray& status = "200 OK",
                    const QByteArray& type = "application/json") {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

QByteArray chunked(const QList<QByteArray>& events) {
  QByteArray text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const QByteArray& event : events) {
    const QByteArray chunk = "data: " + event + "\n\n";
    text += QByteArray::number(chunk.size(), 16) + "\r\n" + chunk + "\r\n";
  }
  return text + "0\r\n\r\n";
}

const QByteArray kModels = response(R"({"data":[{"id":"fake"}]})");

QByteArray goodStream() {
  return chunked({R"({"choices":[{"text":"a"}]})", R"({"choices":[{"text":"é"}]})",
                  R"({"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":3}})",
                  "[DONE]"});
}

QStringList benchArguments(const FakeEndpoint& endpoint, const QStringList& more = {}) {
  return QStringList{"bench",           "--url", endpoint.url(),      "--json", "--requests", "20",
                     "--prompt-tokens", "8",     "--generate-tokens", "4"} +
         more;
}

}  // namespace

/// `quire-cli bench --url` as a program, against endpoints that answer well, badly or not at all.
class TestCliLoad : public QObject {
  Q_OBJECT

 private slots:
  void answers_areMeasured_data();
  void answers_areMeasured();
  void answers_areReadInAnyPieces();
  void wholeAnswers_areMeasured();
  void concurrency_isALimit();
  void badAnswers_failAlone_data();
  void badAnswers_failAlone();
  void longAnswers_areLeftUnread_data();
  void longAnswers_areLeftUnread();
  void firstRequest_showsWhatIsWrong_data();
  void firstRequest_showsWhatIsWrong();
  void words_areThoseOfOneToken();
  void usage_isChecked_data();
  void usage_isChecked();
};

void TestCliLoad::answers_areMeasured_data() {
  QTest::addColumn<QStringList>("more");
  QTest::addColumn<QByteArray>("path");
  QTest::newRow("stream") << QStringList{} << QByteArray("/v1/completions");
  QTest::newRow("rate") << QStringList{"--rate", "200"} << QByteArray("/v1/completions");
  QTest::newRow("chat") << QStringList{"--chat"} << QByteArray("/v1/chat/completions");
}

void TestCliLoad::answers_areMeasured() {
  QFETCH(QStringList, more);
  QFETCH(QByteArray, path);
  FakeEndpoint endpoint([&](const QByteArray& asked, const QByteArray&) {
    return asked == "/v1/models" ? kModels : asked == path ? goodStream() : QByteArray();
  });
  const CliResult result =
      runCli(benchArguments(endpoint, more + QStringList{"--goodput", "e2el:60000"}));
  QCOMPARE(result.code, 0);
  const QJsonObject report = result.jsonLines().value(0);
  QCOMPARE(report["model"].toString(), "fake");
  QCOMPARE(report["answered"].toInt(), 20);
  QCOMPARE(report["prompt_tokens"].toInt(), 20 * 40);
  QCOMPARE(report["output_tokens"].toInt(), 20 * 3);
  QCOMPARE(report["goodput"].toObject()["requests"].toInt(), 20);
  QVERIFY(report["ttft_ms"].toObject()["p99"].toDouble() > 0.0);
  QCOMPARE(endpoint.numRequests(), 23);  // With the list of models, the first try and /tokenize.
}

void TestCliLoad::answers_areReadInAnyPieces() {
  FakeEndpoint endpoint([](const QByteArray&, const QByteArray&) { return goodStream(); }, 3);
  const CliResult result = runCli(benchArguments(endpoint, {"--model", "mine"}));
  const QJsonObject report = result.jsonLines().value(0);
  QCOMPARE(report["answered"].toInt(), 20);
  QCOMPARE(report["output_tokens"].toInt(), 60);
  QCOMPARE(report["model"].toString(), "mine");
}

void TestCliLoad::wholeAnswers_areMeasured() {
  const QByteArray answer = response(R"({"choices":[{"text":"abc"}],
      "usage":{"prompt_tokens":8,"completion_tokens":4}})");
  FakeEndpoint endpoint([&](const QByteArray& path, const QByteArray& request) {
    return path == "/v1/models" ? kModels : request.contains("stream") ? goodStream() : answer;
  });
  const CliResult result = runCli(benchArguments(endpoint, {"--no-stream"}));
  const QJsonObject report = result.jsonLines().value(0);
  QCOMPARE(report["output_tokens"].toInt(), 80);
  QVERIFY(report["ttft_ms"].isNull());
  QVERIFY(report["e2el_ms"].toObject()["p50"].toDouble() > 0.0);
}

void TestCliLoad::concurrency_isALimit() {
  FakeEndpoint endpoint([](const QByteArray& path, const QByteArray&) {
    QThread::msleep(2);
    return path == "/v1/models" ? kModels : goodStream();
  });
  const CliResult result = runCli(benchArguments(endpoint, {"--concurrency", "3"}));
  QCOMPARE(result.jsonLines().value(0)["answered"].toInt(), 20);
  QVERIFY(endpoint.mostAtOnce() <= 4);  // One may be closing.
}

void TestCliLoad::badAnswers_failAlone_data() {
  QTest::addColumn<QByteArray>("answer");
  QTest::addColumn<QString>("why");
  QTest::newRow("overload") << response(R"({"error":{"message":"too many"}})", "429 Slow down")
                            << "status 429: too many";
  QTest::newRow("no JSON in an error") << response("<html>", "502 Bad") << "status 502";
  QTest::newRow("cut off") << goodStream().left(120) << "the response broke off";
  QTest::newRow("no end") << chunked({R"({"choices":[{"text":"a"}]})"}) << "without [DONE]";
  QTest::newRow("bad JSON") << chunked({"{\"choices\":", "[DONE]"}) << "is not JSON";
  QTest::newRow("error in a stream")
      << chunked({R"({"error":{"message":"lost"}})", "[DONE]"}) << "lost";
  QTest::newRow("closed") << QByteArray() << "the response broke off";
  QTest::newRow("no HTTP") << QByteArray("SSH-2.0-x\r\n\r\n") << "the response broke off";
  QTest::newRow("huge length") << QByteArray(
                                      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n")
                               << "the response broke off";
  QTest::newRow("huge header") << "HTTP/1.1 200 OK\r\nX: " + QByteArray(100'000, 'x') + "\r\n\r\n"
                               << "the response broke off";
}

void TestCliLoad::badAnswers_failAlone() {
  QFETCH(QByteArray, answer);
  QFETCH(QString, why);
  std::atomic<int> count = 0;
  FakeEndpoint endpoint([&](const QByteArray& path, const QByteArray&) {
    if (path == "/v1/models") return kModels;
    if (path == "/v1/tokenize") return response("{}", "404 No");
    return ++count % 4 == 0 ? answer : goodStream();
  });
  const CliResult result = runCli(benchArguments(endpoint));
  QCOMPARE(result.code, 0);
  const QJsonObject report = result.jsonLines().value(0);
  QCOMPARE(report["answered"].toInt(), 15);
  QCOMPARE(report["failed"].toInt(), 5);
  const QStringList errors = report["errors"].toObject().keys();
  QVERIFY2(errors.size() == 1 && errors[0].contains(why), qPrintable(errors.join('|')));
}

void TestCliLoad::longAnswers_areLeftUnread_data() {
  QTest::addColumn<QByteArray>("status");
  QTest::addColumn<QStringList>("more");
  QTest::addColumn<QString>("why");
  QTest::newRow("stream") << QByteArray("200 OK") << QStringList()
                          << "an event is longer than 1 MiB";
  QTest::newRow("whole") << QByteArray("200 OK") << QStringList{"--no-stream"}
                         << "the answer is longer than 1 MiB";
  QTest::newRow("error") << QByteArray("500 No") << QStringList() << "status 500";
}

// An answer that never ends would otherwise be waited for until --timeout, in its full length.
void TestCliLoad::longAnswers_areLeftUnread() {
  QFETCH(QByteArray, status);
  QFETCH(QStringList, more);
  QFETCH(QString, why);
  const QByteArray endless = "HTTP/1.1 " + status + "\r\n\r\n" + QByteArray(3 << 20, 'x');
  const QByteArray good = more.isEmpty() ? goodStream() : response(R"({"choices":[{"text":"a"}]})");
  std::atomic<int> count = 0;
  FakeEndpoint endpoint(
      [&](const QByteArray& path, const QByteArray&) {
        if (path == "/v1/models") return kModels;
        if (path == "/v1/tokenize") return response("{}", "404 No");
        return ++count % 4 == 0 ? endless : good;
      },
      1 << 20, /*closes=*/false);
  const CliResult result = runCli(benchArguments(endpoint, more));
  QCOMPARE(result.code, 0);
  const QJsonObject report = result.jsonLines().value(0);
  QCOMPARE(report["answered"].toInt(), 15);
  const QStringList errors = report["errors"].toObject().keys();
  QVERIFY2(errors == QStringList(why), qPrintable(errors.join('|')));
}

void TestCliLoad::firstRequest_showsWhatIsWrong_data() {
  QTest::addColumn<QByteArray>("models");
  QTest::addColumn<QByteArray>("answer");
  QTest::addColumn<QByteArray>("why");
  QTest::newRow("no list") << response("x", "404 No") << QByteArray() << QByteArray("status 404");
  QTest::newRow("empty list") << response(R"({"data":[]})") << QByteArray()
                              << QByteArray("lists no models");
  QTest::newRow("long name") << response(R"({"data":[{"id":")" + QByteArray(2000, 'm') + R"("}]})")
                             << QByteArray() << QByteArray("longer than 1,024 bytes");
  QTest::newRow("long list") << response(QByteArray(5 << 20, ' ')) << QByteArray()
                             << QByteArray("too long");
  QTest::newRow("key") << kModels << response(R"({"error":{"message":"No key."}})", "401 No")
                       << QByteArray("status 401: No key.");
}

void TestCliLoad::firstRequest_showsWhatIsWrong() {
  QFETCH(QByteArray, models);
  QFETCH(QByteArray, answer);
  QFETCH(QByteArray, why);
  FakeEndpoint endpoint([&](const QByteArray& path, const QByteArray&) {
    return path == "/v1/models" ? models : answer;
  });
  const CliResult result = runCli(benchArguments(endpoint));
  QCOMPARE(result.code, 1);
  QVERIFY2(result.err.contains(why), result.err.constData());
  QVERIFY2(!result.err.contains(".."), result.err.constData());
  QCOMPARE(result.err.count('\n'), 1);
}

/// A tokenizer for which words with an "o" are two tokens, and which begins each prompt with one.
void TestCliLoad::words_areThoseOfOneToken() {
  QList<QByteArray> prompts;
  FakeEndpoint endpoint([&](const QByteArray& path, const QByteArray& request) {
    if (path == "/v1/models") return kModels;
    const QByteArray body = request.mid(request.indexOf("\r\n\r\n") + 4);
    const QByteArray prompt = QJsonDocument::fromJson(body).object()["prompt"].toString().toUtf8();
    if (path == "/v1/completions") prompts.append(prompt);
    if (path != "/v1/tokenize") return goodStream();
    qsizetype count = 1;
    for (const QByteArray& word : prompt.split(' ')) count += word.contains('o') ? 2 : 1;
    return response("{\"count\": " + QByteArray::number(count) + "}");
  });
  QCOMPARE(runCli(benchArguments(endpoint)).code, 0);
  QCOMPARE(prompts.size(), 21);
  for (const QByteArray& prompt : prompts.mid(1)) {
    QVERIFY2(prompt.count(' ') == 6 && !prompt.contains('o'), prompt.constData());
  }
}

void TestCliLoad::usage_isChecked_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<int>("code");
  const QStringList url = {"bench", "--url", "http://127.0.0.1:1"};
  QTest::newRow("nobody listens") << url << 1;
  QTest::newRow("no URL") << QStringList{"bench", "--url", "http://"} << 1;
  QTest::newRow("https") << QStringList{"bench", "--url", "https://localhost"} << 1;
  QTest::newRow("rate alone") << QStringList{"bench", "--rate", "3"} << 2;
  QTest::newRow("parallel") << url + QStringList{"--parallel", "3"} << 2;
  QTest::newRow("words") << url + QStringList{"--words"} << 2;
  QTest::newRow("goodput") << url + QStringList{"--goodput", "fast"} << 2;
  QTest::newRow("prefix") << url + QStringList{"--shared-prefix", "512"} << 2;
  QTest::newRow("no requests") << url + QStringList{"--requests", "0"} << 2;
}

void TestCliLoad::usage_isChecked() {
  QFETCH(QStringList, arguments);
  QFETCH(int, code);
  const CliResult result = runCli(arguments);
  QCOMPARE(result.code, code);
  QCOMPARE(result.err.count('\n'), 1);
}

QTEST_GUILESS_MAIN(TestCliLoad)
#include "tst_cli_load.moc"
