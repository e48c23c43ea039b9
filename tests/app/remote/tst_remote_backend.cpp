#include <QJsonDocument>
#include <QJsonObject>

#include "tests/app/remote/remote_stage.h"

using namespace quire;

/// What a well-behaved endpoint gets and answers.
class RemoteBackendTest : public QObject {
  Q_OBJECT

 private slots:
  void answer_streams() {
    RemoteStage stage;
    stage.server.queue(wholeStream({"Gr\xc3\xbc\xc3\x9f", "e, \xe4\xb8\x96\xe7\x95\x8c", "!"}));
    const auto answer = stage.ask();
    QVERIFY(answer.inOrder);
    QCOMPARE(answer.text, QString("Grüße, 世界!"));
    QVERIFY(answer.report.finish == FinishReason::kEnd);
    QCOMPARE(answer.report.error, QString());
    QCOMPARE(answer.report.prompt.promptTokens, 12);
    QCOMPARE(answer.report.prompt.cachedTokens, 8);
    QCOMPARE(answer.report.outputTokens, 7);
    QCOMPARE(answer.report.prompt.chatId, 5);
    QCOMPARE(answer.report.prompt.systemTurns, 1);
    QCOMPARE(answer.report.origin.modelFingerprint, remotePath("a1", "m"));
    QVERIFY(answer.report.tokens.isEmpty());

    QCOMPARE(stage.server.seen.size(), 1);
    const SeenRequest& seen = stage.server.seen[0];
    QCOMPARE(seen.line, QByteArray("POST /v1/chat/completions HTTP/1.1"));
    QVERIFY(!seen.head.contains("Authorization"));
    const QJsonObject body = QJsonDocument::fromJson(seen.body).object();
    QCOMPARE(body["model"].toString(), QString("m"));
    QCOMPARE(body["messages"][1]["content"].toString(), QString("Hello?"));
  }

  void reasoning_standsBetweenMarks() {
    RemoteStage stage;
    stage.server.queue(eventStream({R"({"choices":[{"delta":{"reasoning_content":"Let me"}}]})",
                                    R"({"choices":[{"delta":{"reasoning_content":" see."}}]})",
                                    textChunk("Yes"), textChunk("."), finishChunk(), "[DONE]"}));
    QCOMPARE(stage.ask().text, QString("<think>Let me see.</think>\n\nYes."));
  }

  void wholeAnswers_areTakenToo() {
    RemoteStage stage;
    stage.server.queue(
        response(200, R"({"choices":[{"message":{"content":"Hi."},"finish_reason":"length"}],)"
                      R"("usage":{"prompt_tokens":3,"completion_tokens":2}})"));
    const auto answer = stage.ask();
    QCOMPARE(answer.text, QString("Hi."));
    QVERIFY(answer.report.finish == FinishReason::kLength);
    QCOMPARE(answer.report.outputTokens, 2);
  }

  /// A server may forget [DONE], or even to end the connection.
  void end_isNoticed_data() {
    QTest::addColumn<QByteArray>("stream");
    QTest::addColumn<bool>("stays");
    const QByteArray whole = eventStream({textChunk("Hi."), finishChunk()});
    QTest::newRow("without DONE") << whole << false;
    QTest::newRow("an open connection") << whole.chopped(5) << true;
    QTest::newRow("no empty line at its end")
        << QByteArray("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " +
                      textChunk("Hi.") + "\n\ndata: " + finishChunk())
        << false;
  }
  void end_isNoticed() {
    QFETCH(QByteArray, stream);
    QFETCH(bool, stays);
    RemoteStage stage;
    stage.server.queue(
        {.pieces = {stream}, .end = stays ? Behaviour::End::kStay : Behaviour::End::kClose});
    const auto answer = stage.ask();
    QCOMPARE(answer.text, QString("Hi."));
    QCOMPARE(answer.report.error, QString());
    QVERIFY(answer.report.finish == FinishReason::kEnd);
  }

  void key_isSentToItsHostOnly() {
    RemoteStage stage;
    stage.endpoint.hasKey = true;
    stage.use();
    stage.secrets.write(secretName(stage.endpoint), "sk-secret", {[](const SecretStoring&) {}});
    stage.server.queue(wholeStream({"Hi."}));
    QCOMPARE(stage.ask().report.error, QString());
    QVERIFY(stage.server.seen[0].head.contains("\r\nAuthorization: Bearer sk-secret"));

    stage.endpoint.baseUrl.setHost("localhost");  // The same server by another name.
    stage.use();
    const auto answer = stage.ask();
    QVERIFY2(answer.report.error.contains("Type it again"), qPrintable(answer.report.error));
    QCOMPARE(stage.server.seen.size(), 1);
  }

  void key_cannotAddHeaders() {
    RemoteStage stage;
    stage.endpoint.hasKey = true;
    stage.use();
    stage.secrets.write(secretName(stage.endpoint), "a\r\nX: y", {[](const SecretStoring&) {}});
    QVERIFY(!stage.ask().report.error.isEmpty());
    QVERIFY(!stage.test("a\r\nX: y").error.isEmpty());
    QVERIFY(stage.server.seen.isEmpty());
  }

  void cancel_endsTheConnection() {
    RemoteStage stage;
    stage.server.queue(
        {.pieces = {eventStream({textChunk("Once")}).chopped(5)}, .end = Behaviour::End::kStay});
    const RequestId id = stage.submit();
    QTRY_COMPARE(stage.log[id].text, QString("Once"));
    stage.backend.cancel(id);
    QTRY_COMPARE(stage.log[id].finishes, 1);
    QVERIFY(stage.log[id].report.finish == FinishReason::kCancelled);
    QCOMPARE(stage.log[id].report.error, QString());
    QTRY_COMPARE(stage.server.numClosedByClient, 1);
    stage.backend.cancel(id);
    stage.backend.cancel(id + 1);
  }

  void destructor_dropsRequests() {
    auto stage = std::make_unique<RemoteStage>();
    stage->server.queue({.pieces = {}, .end = Behaviour::End::kStay});
    stage->submit();
    QTRY_COMPARE(stage->server.seen.size(), 1);
    stage.reset();
  }

  /// More than a browser's or Qt's six connections to a host.
  void sixteenRequests_runAtOnce() {
    RemoteStage stage;
    stage.server.queue(
        {.pieces = {eventStream({textChunk("Hi")}).chopped(5)}, .end = Behaviour::End::kStay});
    QList<RequestId> ids;
    for (int i = 0; i < 16; ++i) ids.append(stage.submit());
    for (const RequestId id : ids) QTRY_COMPARE(stage.log[id].text, QString("Hi"));
  }

  void unknownEndpoint_isReported() {
    RemoteStage stage;
    stage.backend.setEndpoints({});
    const auto answer = stage.ask();
    QVERIFY(answer.report.finish == FinishReason::kFailed);
    QVERIFY2(answer.report.error.contains("page Models"), qPrintable(answer.report.error));
    QVERIFY(stage.server.seen.isEmpty());
  }

  void forecast_asksNobody() {
    RemoteStage stage;
    std::optional<ContextForecast> forecast;
    const PendingReply pending = stage.backend.forecast(
        {.modelPath = remotePath("a1", "m")},
        {&stage.server, [&](const ContextForecast& got) { forecast = got; }});
    QTRY_VERIFY(forecast);
    QCOMPARE(forecast->contextTokens, 0);
    QCOMPARE(forecast->error, QString());
    QVERIFY(stage.server.seen.isEmpty());
  }

  void refusedFields_areLeftOutAndRemembered() {
    RemoteStage stage;
    stage.server.queue(
        response(422, R"({"detail":[{"loc":["body","stream_options"],"msg":"extra"}]})"));
    stage.server.queue(response(422, R"({"detail":[{"loc":["body","seed"],"msg":"extra"}]})"));
    stage.server.queue(wholeStream({"Hi."}));
    QCOMPARE(stage.ask().text, QString("Hi."));
    QCOMPARE(stage.server.seen.size(), 3);
    QVERIFY(!stage.server.seen[2].body.contains("stream_options"));
    QCOMPARE(stage.ask().text, QString("Hi."));
    QCOMPARE(stage.server.seen.size(), 4);
    QVERIFY(!stage.server.seen[3].body.contains("seed"));
  }

  void test_listsModels() {
    RemoteStage stage;
    stage.server.queue(response(200, R"({"data":[{"id":"a","owned_by":"vllm"},{"id":"b"}]})"));
    const EndpointReport report = stage.test("sk-new");
    QCOMPARE(report.error, QString());
    QCOMPARE(report.models, (QStringList{"a", "b"}));
    QVERIFY(report.server == ServerKind::kVllm && report.hasList);
    QCOMPARE(stage.server.seen[0].line, QByteArray("GET /v1/models HTTP/1.1"));
    QVERIFY(stage.server.seen[0].head.contains("Bearer sk-new"));
  }

  void test_saysWhatIsWrong_data() {
    QTest::addColumn<QByteArray>("response");
    QTest::addColumn<QString>("words");
    QTest::newRow("a key is missing")
        << response(401, R"({"error":{"message":"No key."}})") << "needs a key";
    QTest::newRow("a page") << response(200, "<html>", "text/html") << "text/html";
    QTest::newRow("no HTTP") << QByteArray("SSH-2.0-x\r\n") << "not a response of HTTP";
    QTest::newRow("another host") << response(302, "", "text/html",
                                              "Location: https://evil.example/login\r\n")
                                  << "https://evil.example/login";
    QTest::newRow("cut off") << response(200, R"({"data":[]})").chopped(3) << "broke";
    QTest::newRow("a fault") << response(500, "oops", "text/plain") << "later: oops";
  }
  void test_saysWhatIsWrong() {
    QFETCH(QByteArray, response);
    QFETCH(QString, words);
    RemoteStage stage;
    stage.server.queue(response);
    const QString error = stage.test().error;
    QVERIFY2(error.contains(words), qPrintable(error));
  }

  /// Any running server: QUIRE_REMOTE_URL is its address, QUIRE_REMOTE_KEY its key if it has one.
  void realServer_answers() {
    const QString address = qEnvironmentVariable("QUIRE_REMOTE_URL");
    if (address.isEmpty()) QSKIP("QUIRE_REMOTE_URL names no server.");
    RemoteStage stage(RemoteOptions{});
    const QString key = qEnvironmentVariable("QUIRE_REMOTE_KEY");
    stage.endpoint.baseUrl = readBaseUrl(address).url;
    stage.endpoint.hasKey = !key.isEmpty();
    stage.secrets.write(secretName(stage.endpoint), key, {[](const SecretStoring&) {}});
    const EndpointReport report = stage.test();
    QCOMPARE(report.error, QString());
    QVERIFY(!report.models.isEmpty());
    qInfo("%s serves %s", qPrintable(address), qPrintable(report.models.join(", ")));
    stage.endpoint.server = report.server;
    stage.use();
    const QString model = remotePath("a1", report.models.first());
    ChatRequest request = {.turns = {{"user", "Say hello.", {}}}, .modelPath = model};
    request.sampling.max_tokens = 16;
    QList<RequestId> ids;
    for (int i = 0; i < 8; ++i) ids.append(stage.log.submit(request));
    for (const RequestId id : ids) {
      QTRY_COMPARE_WITH_TIMEOUT(stage.log[id].finishes, 1, 60000);
      QCOMPARE(stage.log[id].report.error, QString());
      QVERIFY(!stage.log[id].text.isEmpty());
      QVERIFY(stage.log[id].inOrder);
    }
    qInfo() << stage.log[ids.first()].text << stage.log[ids.first()].report.prompt.promptTokens
            << stage.log[ids.first()].report.outputTokens;
    request.sampling.max_tokens = 100000;
    request.turns[0].text = "Count to one million.";
    const RequestId endless = stage.log.submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(stage.log[endless].texts > 0, 60000);
    stage.backend.cancel(endless);
    QTRY_COMPARE(stage.log[endless].finishes, 1);
    request.modelPath = remotePath("a1", "no-such-model");
    const RequestId unknown = stage.log.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(stage.log[unknown].finishes, 1, 60000);
    qInfo("%s", qPrintable(stage.log[unknown].report.error));
  }

  void test_allowsServersWithoutAList() {
    RemoteStage stage;
    stage.server.queue(response(404, R"({"detail":"Not Found"})"));
    const EndpointReport report = stage.test();
    QCOMPARE(report.error, QString());
    QVERIFY(!report.hasList);
  }
};

QTEST_MAIN(RemoteBackendTest)
#include "tst_remote_backend.moc"
