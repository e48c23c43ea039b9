#include <QElapsedTimer>
#include <QFile>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslServer>
#include <QSslSocket>

#include "tests/app/remote/remote_stage.h"
#include "tests/support/taken_port.h"

using namespace quire;

namespace {

Behaviour staying(const QByteArray& bytes) {
  return {.pieces = {bytes}, .end = Behaviour::End::kStay};
}

const QByteArray kRecorded = wholeStream({"Gr\xc3\xbc\xc3\x9f", "e \xf0\x9f\x8e\x89", " aus", "."});
const QString kText = QString::fromUtf8("Grüße 🎉 aus.");

/// Without text it was asked again; with text that is kept, and it was not.
void checkCut(const RemoteStage& stage, const AnswerLog::Answer& answer, int& numCutOff) {
  QVERIFY(answer.inOrder);
  QVERIFY2(kText.startsWith(answer.text), qPrintable(answer.text));
  if (answer.report.finish == FinishReason::kEnd) {
    QCOMPARE(answer.text, kText);
    QCOMPARE(answer.report.error, QString());
    return;
  }
  QVERIFY(answer.report.finish == FinishReason::kFailed);
  QVERIFY(!answer.text.isEmpty());
  QCOMPARE(stage.server.seen.size(), 1);
  QVERIFY2(answer.report.error.contains("What came is kept"), qPrintable(answer.report.error));
  ++numCutOff;
}

}  // namespace

/// What an endpoint does wrong costs no text, and no more than a sentence.
class RemoteFaultsTest : public QObject {
  Q_OBJECT

 private slots:
  /// The connection breaks after each byte of the answer; another one would get all of it.
  void cut_keepsTheText() {
    constexpr int kAtOnce = 16;
    std::vector<std::unique_ptr<RemoteStage>> stages;
    for (int i = 0; i < kAtOnce; ++i) stages.push_back(std::make_unique<RemoteStage>());
    int numCutOff = 0;
    for (qsizetype length = 0; length < kRecorded.size(); length += kAtOnce) {
      QList<RequestId> ids;
      for (int i = 0; i < kAtOnce; ++i) {
        RemoteStage& stage = *stages[static_cast<size_t>(i)];
        stage.server.forget();
        stage.server.seen.clear();
        stage.server.queue(kRecorded.left(length + i));
        stage.server.queue(kRecorded);
        ids.append(stage.submit());
      }
      for (int i = 0; i < kAtOnce; ++i) {
        RemoteStage& stage = *stages[static_cast<size_t>(i)];
        QTRY_COMPARE(stage.log[ids[i]].finishes, 1);
        checkCut(stage, stage.log[ids[i]], numCutOff);
        if (QTest::currentTestFailed()) return;
      }
    }
    QVERIFY(numCutOff > 100);
  }

  /// However the bytes are split, letters of several bytes among them.
  void pieces_makeNoDifference() {
    RemoteStage stage;
    for (const qsizetype size : {1, 2, 3, 7, 64}) {
      Behaviour behaviour;
      for (qsizetype at = 0; at < kRecorded.size(); at += size)
        behaviour.pieces.append(kRecorded.mid(at, size));
      stage.server.queue(behaviour);
      stage.server.queue(kRecorded);
      QCOMPARE(stage.ask().text, kText);
      QCOMPARE(stage.ask().text, kText);
    }
  }

  void reset_keepsTheText() {
    RemoteStage stage;
    stage.server.queue({.pieces = {eventStream({textChunk("Once")}).chopped(5), ""},
                        .pauseMs = 50,
                        .end = Behaviour::End::kReset});
    const auto answer = stage.ask();
    QCOMPARE(answer.text, QString("Once"));
    QVERIFY(answer.report.finish == FinishReason::kFailed);
  }

  void refusedConnections_areTriedAgain() {
    RemoteStage stage;
    stage.server.close();
    const quint16 port = freePort().toUShort();
    stage.endpoint.baseUrl.setPort(port);
    stage.use();
    const auto failed = stage.ask();
    QVERIFY2(failed.report.error.contains("cannot be reached"), qPrintable(failed.report.error));
    QVERIFY(failed.report.errorCode == ErrorCode::kIo);
    QCOMPARE(failed.starts, 0);

    RemoteOptions patient = RemoteStage::patience();
    patient.firstWaitMs = 400;
    RemoteStage later(patient);
    later.endpoint.baseUrl.setPort(port);
    later.use();
    const RequestId id = later.submit();
    QTest::qWait(100);
    QVERIFY(stage.server.listen(QHostAddress::LocalHost, port));
    stage.server.queue(kRecorded);
    QTRY_COMPARE_WITH_TIMEOUT(later.log[id].finishes, 1, 10000);
    QCOMPARE(later.log[id].text, kText);
  }

  void busyServers_areAskedAgain_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<bool>("again");
    for (const int status : {429, 502, 503, 504}) QTest::addRow("%d", status) << status << true;
    for (const int status : {400, 401, 403, 404, 413, 422, 500, 501})
      QTest::addRow("%d", status) << status << false;
  }
  void busyServers_areAskedAgain() {
    QFETCH(int, status);
    QFETCH(bool, again);
    RemoteStage stage;
    stage.server.queue(response(status, R"({"error":{"message":"Not now."}})"));
    stage.server.queue(kRecorded);
    const auto answer = stage.ask();
    QCOMPARE(answer.text, again ? kText : QString());
    QCOMPARE(stage.server.seen.size(), again ? 2 : 1);
    QCOMPARE(answer.report.error.contains("Not now."), !again);
    QCOMPARE(answer.report.error.contains("Office") || status == 413, !again || status == 413);
  }

  void attempts_end() {
    RemoteStage stage;
    stage.server.queue(response(503, "{}"));
    const auto answer = stage.ask();
    QCOMPARE(stage.server.seen.size(), 3);
    QVERIFY(answer.report.error.contains("503"));
  }

  void retryAfter_isKept() {
    RemoteStage stage;
    stage.server.queue(response(429, "{}", "application/json", "Retry-After: 1\r\n"));
    stage.server.queue(kRecorded);
    QElapsedTimer clock;
    clock.start();
    QCOMPARE(stage.ask().text, kText);
    QVERIFY2(clock.elapsed() >= 1000, qPrintable(QString::number(clock.elapsed())));
  }

  void longRetryAfter_isReported_data() {
    QTest::addColumn<QByteArray>("time");
    QTest::addColumn<QString>("said");
    QTest::newRow("seconds") << QByteArray("3600") << " 3600 ";
    QTest::newRow("a date") << QByteArray("Fri, 01 Jan 2100 00:00:00 +0000") << " 1000000000 ";
  }
  void longRetryAfter_isReported() {
    QFETCH(QByteArray, time);
    QFETCH(QString, said);
    RemoteStage stage;
    stage.server.queue(response(429, "{}", "application/json", "Retry-After: " + time + "\r\n"));
    const auto answer = stage.ask();
    QCOMPARE(stage.server.seen.size(), 1);
    QVERIFY2(answer.report.error.contains(said), qPrintable(answer.report.error));
  }

  void stalls_end_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("before the response") << QByteArray() << "";
    QTest::newRow("in the head") << QByteArray("HTTP/1.1 200 OK\r\nContent-Ty") << "";
    QTest::newRow("before the text") << eventStream({}).chopped(5) << "";
    QTest::newRow("in the answer") << eventStream({textChunk("Once")}).chopped(5) << "Once";
  }
  void stalls_end() {
    QFETCH(QByteArray, bytes);
    RemoteOptions options = RemoteStage::patience();
    options.timeouts.firstByteMs = options.timeouts.silenceMs = 1500;
    RemoteStage stage(options);
    stage.server.queue(staying(bytes));
    const auto answer = stage.ask();
    QTEST(answer.text, "text");
    QVERIFY(answer.report.finish == FinishReason::kFailed);
    QCOMPARE(stage.server.seen.size(), 1);  // It may still compute: nothing is asked twice.
    QTRY_COMPARE(stage.server.numClosedByClient, 1);
  }

  /// So llama-cpp-python ends an answer when another request comes.
  void interruptedAnswer_isNoWholeOne() {
    RemoteStage stage;
    stage.server.queue(eventStream({textChunk("Once"), "[DONE]"}));
    const auto answer = stage.ask();
    QCOMPARE(answer.text, QString("Once"));
    QVERIFY(answer.report.finish == FinishReason::kFailed);
    stage.server.forget();
    stage.server.queue(eventStream({"[DONE]"}));
    stage.server.queue(kRecorded);
    QCOMPARE(stage.ask().text, kText);
  }

  void nonsense_isReported_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    QTest::newRow("bad JSON") << eventStream({textChunk("Once"), "{\"choices\": ["}) << "not JSON";
    QTest::newRow("an error in the stream")
        << eventStream({textChunk("Once"), R"({"error":{"message":"CUDA is gone."}})"})
        << "CUDA is gone.";
    QTest::newRow("a filter") << eventStream({textChunk("Once"), finishChunk("content_filter")})
                              << "filter";
    QTest::newRow("an endless event")
        << eventStream({textChunk("Once"), QByteArray(5 << 20, 'x')}) << "not a response of HTTP";
  }
  void nonsense_isReported() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, words);
    RemoteStage stage;
    stage.server.queue(bytes);
    const auto answer = stage.ask();
    QCOMPARE(answer.text, QString("Once"));
    QVERIFY(answer.report.finish == FinishReason::kFailed);
    QVERIFY2(answer.report.error.contains(words), qPrintable(answer.report.error));
  }

  void otherTypes_areReported() {
    RemoteStage stage;
    stage.server.queue(response(200, "<html>Log in</html>", "text/html; charset=utf-8"));
    const auto answer = stage.ask();
    QVERIFY2(answer.report.error.contains("text/html"), qPrintable(answer.report.error));
    QCOMPARE(stage.server.seen.size(), 1);
  }

  void endlessHeaders_areRefused() {
    RemoteStage stage;
    stage.server.queue(
        staying("HTTP/1.1 200 OK\r\n" + QByteArray("X-Header: 0123456789\r\n").repeated(20000)));
    const auto answer = stage.ask();
    QVERIFY2(answer.report.error.contains("HTTP"), qPrintable(answer.report.error));
    QTRY_COMPARE(stage.server.numClosedByClient, 1);
  }

  void endlessComments_end() {
    RemoteStage stage;
    stage.server.queue(staying(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " + textChunk("Once") +
        "\n\n" + QByteArray(": here\n").repeated(3 << 20)));
    const auto answer = stage.ask();
    QCOMPARE(answer.text, QString("Once"));
    QVERIFY2(answer.report.error.contains("not a response of HTTP"),
             qPrintable(answer.report.error));
    QTRY_COMPARE(stage.server.numClosedByClient, 1);
  }

  void endlessList_ends() {
    RemoteStage stage;
    stage.server.queue(
        staying("HTTP/1.1 200 OK\r\nContent-Type: text/a-key\r\n\r\n[" + QByteArray(9 << 20, ' ')));
    const QString error = stage.test("a-key").error;
    QVERIFY2(error.contains("text/***"), qPrintable(error));
    QTRY_COMPARE(stage.server.numClosedByClient, 1);
  }

  /// A server knows the key, and may say it anywhere.
  void keyInHeaders_isHidden() {
    RemoteStage stage;
    stage.server.queue(response(307, "", "text/plain", "Location: http://evil.example/a-key\r\n"));
    const QString error = stage.test("a-key").error;
    QVERIFY2(error.contains("http://evil.example/***"), qPrintable(error));
  }

  void foreignLetters_areShownInAscii() {
    RemoteStage stage;
    stage.server.queue(
        response(307, "", "text/plain", "Location: http://xn--bcher-kva.com/v1\r\n"));
    const QString error = stage.ask().report.error;
    QVERIFY2(error.contains("http://xn--bcher-kva.com/v1"), qPrintable(error));
  }

  void longRefusals_areCut() {
    RemoteStage stage;
    stage.server.queue(staying("HTTP/1.1 500 No\r\n\r\n" + QByteArray(4 << 20, 'x')));
    const auto answer = stage.ask();
    QVERIFY(answer.report.error.size() < 500);
    QTRY_COMPARE(stage.server.numClosedByClient, 1);
  }

  void contextOverflow_isNamed() {
    RemoteStage stage;
    stage.server.queue(response(400,
                                R"({"object": "error", "message": "The maximum context length )"
                                R"(is 8192 tokens. However, you requested 9000."})"));
    const auto answer = stage.ask();
    QVERIFY(answer.report.errorCode == ErrorCode::kContextOverflow);
    QVERIFY2(answer.report.error.contains("8192"), qPrintable(answer.report.error));
  }

  void redirects_stayOnTheHost_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("location");
    QTest::addColumn<bool>("follows");
    QTest::newRow("the same host") << 307 << "/v1/chat/other" << true;
    QTest::newRow("for good") << 308 << "%1/v2/chat" << true;
    QTest::newRow("another host") << 307 << "http://evil.example/v1" << false;
    QTest::newRow("another name with the same port") << 307 << "http://localhost:%2/v1" << false;
    QTest::newRow("another port") << 307 << "http://127.0.0.1:1/v1" << false;
    QTest::newRow("without the body") << 302 << "/v1/chat/other" << false;
    QTest::newRow("no address") << 307 << "" << true;  // In a circle, which ends.
  }
  void redirects_stayOnTheHost() {
    QFETCH(int, status);
    QFETCH(QString, location);
    QFETCH(bool, follows);
    RemoteStage stage;
    location.replace("%1", stage.server.address());
    location.replace("%2", QString::number(stage.server.serverPort()));
    stage.server.queue(
        response(status, "", "text/plain", "Location: " + location.toLatin1() + "\r\n"));
    if (!location.isEmpty()) stage.server.queue(kRecorded);
    const auto answer = stage.ask();
    QCOMPARE(stage.server.seen.size(), location.isEmpty() ? 4 : follows ? 2 : 1);
    QCOMPARE(answer.text, follows && !location.isEmpty() ? kText : QString());
  }

  /// A server whose certificate nobody has signed gets nothing, and is asked once.
  void certificates_areChecked() {
    if (!QSslSocket::supportsSsl()) QSKIP("Qt has no TLS here.");
    QFile file(QUIRE_SOURCE_DIR "/tests/data/remote/self_signed.pem");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray pem = file.readAll();
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setLocalCertificate(QSslCertificate(pem));
    configuration.setPrivateKey(QSslKey(pem, QSsl::Ec));
    QSslServer tls;
    tls.setSslConfiguration(configuration);
    QVERIFY(tls.listen(QHostAddress::LocalHost));
    int connections = 0;
    connect(&tls, &QSslServer::startedEncryptionHandshake, &tls, [&] { ++connections; });
    RemoteStage stage;
    stage.endpoint.baseUrl = readBaseUrl(QStringLiteral("https:/") +
                                         QStringLiteral("/127.0.0.1:%1").arg(tls.serverPort()))
                                 .url;
    stage.use();
    const auto answer = stage.ask();
    QVERIFY2(answer.report.error.contains("nothing was sent"), qPrintable(answer.report.error));
    QCOMPARE(connections, 1);
    QVERIFY(stage.test().error.contains("nothing was sent"));
  }
};

QTEST_MAIN(RemoteFaultsTest)
#include "tst_remote_faults.moc"
