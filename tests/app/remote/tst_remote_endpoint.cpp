#include <QTest>

#include "app/remote/remote_endpoint.h"

using namespace quire;

class RemoteEndpointTest : public QObject {
  Q_OBJECT

 private slots:
  void readBaseUrl_completesAddresses_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("url");
    const auto row = [](const char* typed, const char* url) {
      QTest::newRow(typed) << QString(typed) << QString(url);
    };
    row("https://api.openai.com/v1", "https://api.openai.com/v1");
    row(" https://api.openai.com/v1/ ", "https://api.openai.com/v1");
    row("https://api.openai.com", "https://api.openai.com/v1");
    row("HTTPS://API.openai.com/", "https://api.openai.com/v1");
    row("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1");
    row("https://api.openai.com/v1/models/", "https://api.openai.com/v1");
    row("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1");
    row("api.example.com", "https://api.example.com/v1");
    row("localhost:11434", "http://localhost:11434/v1");
    row("127.0.0.1:8080", "http://127.0.0.1:8080/v1");
    row("192.168.1.20:8000", "http://192.168.1.20:8000/v1");
    row("10.1.2.3", "http://10.1.2.3/v1");
    row("[::1]:8000", "http://[::1]:8000/v1");
    row("8.8.8.8:8000", "https://8.8.8.8:8000/v1");
    row("gpu-box:8000", "http://gpu-box:8000/v1");
    row("gpu-box.local:8000", "http://gpu-box.local:8000/v1");
  }
  void readBaseUrl_completesAddresses() {
    QFETCH(QString, typed);
    QFETCH(QString, url);
    const BaseUrl read = readBaseUrl(typed);
    QCOMPARE(read.problem, QString());
    QCOMPARE(read.url.toString(), url);
  }

  void readBaseUrl_refusesOthers_data() {
    QTest::addColumn<QString>("typed");
    for (const char* typed :
         {"", " ", "https://", "ftp://example.com", "file:///etc/passwd", "javascript://x/",
          "https://user:secret@example.com", "https://example.com/?key=secret",
          "https://example.com/#x", "https://exa mple.com", "http://example.com:99999"})
      QTest::newRow(typed) << QString(typed);
    QTest::newRow("long") << "https://" + QString(5000, u'a') + ".com";
  }
  void readBaseUrl_refusesOthers() {
    QFETCH(QString, typed);
    const BaseUrl read = readBaseUrl(typed);
    QVERIFY2(read.url.isEmpty(), qPrintable(read.url.toString()));
    QVERIFY(!read.problem.isEmpty());
    QVERIFY(!read.problem.contains("secret"));
  }

  void thisComputer_isKnown() {
    const auto isHere = [](const char* url) { return isThisComputer(QUrl(url)); };
    QVERIFY(isHere("http://localhost:1/v1"));
    QVERIFY(isHere("http://127.8.9.1/v1"));
    QVERIFY(isHere("http://[::1]/v1"));
    QVERIFY(!isHere("http://192.168.1.1/v1"));
    QVERIFY(!isHere("https://localhost.example.com/v1"));
    QVERIFY(isReadable(QUrl("http://192.168.1.1/v1")));
    QVERIFY(!isReadable(QUrl("https://example.com/v1")));
    QVERIFY(!isReadable(QUrl("http://localhost/v1")));
  }

  /// So a key never goes to another host than the one that it was entered for.
  void secretName_dependsOnTheHost() {
    RemoteEndpoint endpoint = {.id = "a1", .name = "x", .baseUrl = QUrl("https://a.com/v1")};
    const QString name = secretName(endpoint);
    endpoint.name = "y";
    endpoint.baseUrl = QUrl("https://a.com:443/v2");
    QCOMPARE(secretName(endpoint), name);
    for (const char* url : {"https://b.com/v1", "http://a.com/v1", "https://a.com:444/v1"}) {
      endpoint.baseUrl = QUrl(url);
      QVERIFY(secretName(endpoint) != name);
    }
  }

  void json_keepsEndpoints() {
    const QList<RemoteEndpoint> all = {
        {.id = makeEndpointId(),
         .name = "Büro",
         .baseUrl = QUrl("https://a.com/v1"),
         .models = {"org/model", "b"},
         .hasKey = true,
         .server = ServerKind::kVllm,
         .inputPrice = 0.25,
         .outputPrice = 1.0},
        {.id = makeEndpointId(), .name = "x", .baseUrl = QUrl("http://localhost:1/v1")}};
    QCOMPARE(endpointsFromJson(endpointsToJson(all)), all);
  }

  void json_leavesOutWhatIsDamaged() {
    QVERIFY(endpointsFromJson("").isEmpty());
    QVERIFY(endpointsFromJson("{").isEmpty());
    QVERIFY(endpointsFromJson("[1, null, {}, []]").isEmpty());
    const QString scheme = QStringLiteral("https:/") + u'/';
    const QList<RemoteEndpoint> read =
        endpointsFromJson(QStringLiteral(
                              R"([{"id": "a/b", "url": "%1a.com"}, {"id": "a", "url": "x y"},
            {"id": "b", "url": "%1b.com", "models": [1, "", "m", "m"], "input_price": -1,
             "output_price": "x", "server": "no"}, {"id": "b", "url": "%1c.com"}])")
                              .arg(scheme));
    QCOMPARE(read.size(), 1);
    QCOMPARE(read[0].models, QStringList{"m"});
    QVERIFY(!read[0].inputPrice && !read[0].outputPrice);
    QVERIFY(read[0].server == ServerKind::kUnknown);
  }

  void remotePath_isReadAgain() {
    const QString path = remotePath("a1", "org/model:7b");
    QVERIFY(isRemotePath(path));
    QCOMPARE(readRemotePath(path)->endpointId, QString("a1"));
    QCOMPARE(readRemotePath(path)->model, QString("org/model:7b"));
    QVERIFY(!readRemotePath("/models/remote:x.gguf"));
    QVERIFY(!readRemotePath(""));
    QCOMPARE(readRemotePath("remote:a1")->endpointId, QString("a1"));
  }
};

QTEST_APPLESS_MAIN(RemoteEndpointTest)
#include "tst_remote_endpoint.moc"
