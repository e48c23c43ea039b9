#include <QtTest>

#include "app/hub/download_plan.h"
#include "app/hub/http_fetch.h"
#include "app/hub/hub_problem.h"
#include "app/hub/hub_replies.h"
#include "app/hub/hugging_face_hub.h"
#include "app/hub/ollama_hub.h"
#include "app/hub/retry_clock.h"
#include "app/hub/speed_limit.h"
#include "tests/app/hub/test_hub.h"

using namespace quire;

namespace {

const TextRetries kQuickRetries = {
    .limits = {.firstMs = 4, .mostMs = 20, .mostAskedMs = 1000, .giveUpMs = 300}};

/// Waits for a reply.
template <typename T>
std::optional<Result<T>> wait(
    const std::function<void(std::function<void(const Result<T>&)>)>& ask) {
  std::optional<Result<T>> result;
  ask([&](const Result<T>& reply) { result = reply; });
  static_cast<void>(QTest::qWaitFor([&] { return result.has_value(); }, 10'000));
  return result;
}

Result<HubModel> modelFrom(HubClient& client, const QString& name) {
  const auto read = readHubName(name);
  if (!read) return read.error();
  const auto found = wait<HubModel>([&](const auto& reply) { client.model(*read, reply); });
  return found.value_or(Error{ErrorCode::kInternal, "no reply"});
}

QString errorOf(const Result<HubModel>& model) {
  return model ? QString() : QString::fromStdString(model.error().message);
}

}  // namespace

/// What hubs are asked, and how their answers are read: those of a server like them, and hostile
/// ones.
class HubClientsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_hub = std::make_unique<TestHub>(); }

  void redirects_goToHttpsOrTheSameHost() {
    const auto may = [](const char* from, const char* to) {
      return mayRedirect(QUrl(from), QUrl(to));
    };
    QVERIFY(may("https://hub.example/a", "https://cdn.example/b"));
    QVERIFY(may("http://127.0.0.1:80/a", "http://127.0.0.1:81/b"));
    QVERIFY(may("http://hub.example/a", "https://cdn.example/b"));
    QVERIFY(!may("https://hub.example/a", "http://hub.example/b"));
    QVERIFY(!may("http://hub.example/a", "http://other.example/b"));
    QVERIFY(!may("https://hub.example/a", "https://user:word@cdn.example/b"));
    QVERIFY(!may("https://hub.example/a", "file:///etc/passwd"));
    QVERIFY(!may("https://hub.example/a", "ftp://hub.example/b"));
    QVERIFY(!may("https://hub.example/a", ""));
    QVERIFY(mayCarryToken(QUrl("https://hub.example/a"), QUrl("https://hub.example:443/b")));
    QVERIFY(!mayCarryToken(QUrl("https://hub.example/a"), QUrl("https://cdn.example/b")));
    QVERIFY(!mayCarryToken(QUrl("https://hub.example/a"), QUrl("https://hub.example:444/b")));
    QVERIFY(!mayCarryToken(QUrl("http://hub.example/a"), QUrl("http://hub.example/b")));
  }

  void retries_growAndEnd() {
    RetryClock clock(
        {.firstMs = 1000, .mostMs = 300'000, .mostAskedMs = 3'600'000, .giveUpMs = 6 * 3'600'000});
    qint64 now = 0;
    qint64 most = 1000;
    while (const auto pause = clock.next(now, -1)) {
      QVERIFY(*pause >= most / 2 && *pause <= most);
      now += *pause;
      most = std::min<qint64>(most * 2, 300'000);
    }
    QVERIFY(now >= 6 * 3'600'000);
    clock.progressed(now);
    QVERIFY(*clock.next(now, -1) <= 1000);
    QCOMPARE(*clock.next(now, 1'800'000), 1'800'000);
    QVERIFY(!clock.next(now, 3'600'001));
    const QDateTime at(QDate(2026, 1, 1), QTime(0, 0), Qt::UTC);
    QCOMPARE(retryAfterMs("120", at), 120'000);
    QCOMPARE(retryAfterMs("Thu, 01 Jan 2026 00:01:00 GMT", at), 60'000);
    QCOMPARE(retryAfterMs("Wed, 31 Dec 2025 00:01:00 GMT", at), 0);
    QCOMPARE(retryAfterMs("soon", at), -1);
    QCOMPARE(retryAfterMs("", at), -1);
  }

  void speedLimit_isShared() {
    SpeedLimit limit;
    QCOMPARE(limit.use(1'000'000, 0), 0);
    limit.setBytesPerSecond(1000);
    QCOMPARE(limit.use(500, 0), 500);
    QCOMPARE(limit.use(500, 0), 1000);
    QCOMPARE(limit.use(500, 5000), 500);  // What was not used before is not saved up.
  }

  void huggingFace_listsAModelWithItsFiles() {
    m_hub->setPageSize(2);
    m_hub->addModel("org/repo",
                    {{"m-Q4_K_M.gguf", HubBlob::of("weights")},
                     {"README.md", HubBlob::of("text", false)},
                     {"config.json", HubBlob::of("{}", false)},
                     {".gitattributes", HubBlob::of("x", false)},
                     {"odd #1%.json", HubBlob::of("[]", false)}},
                    R"("tags":["gguf","license:apache-2.0"],"gated":"auto")");
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address())});
    const auto model = modelFrom(client, "org/repo");
    QVERIFY2(model, qPrintable(errorOf(model)));
    QCOMPARE(model->license, QString("apache-2.0"));
    QVERIFY(model->isGated);
    QCOMPARE(model->revision, QString(40, 'c'));
    QCOMPARE(model->files.size(), 4);  // Over three pages, without the hidden one.
    const auto weights = std::ranges::find(model->files, "m-Q4_K_M.gguf", &HubFile::path);
    QCOMPARE(weights->bytes, 7);
    QCOMPARE(weights->hash.kind, FileHash::Kind::kSha256);
    QCOMPARE(weights->url.toString(),
             m_hub->address() + "/org/repo/resolve/" + QString(40, 'c') + "/m-Q4_K_M.gguf");
    const auto odd = std::ranges::find(model->files, "odd #1%.json", &HubFile::path);
    QVERIFY(odd->url.toEncoded().endsWith("/odd%20%231%25.json"));
  }

  void huggingFace_searches() {
    m_hub->addModel("org/repo", {});
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address())});
    const auto found =
        wait<QList<HubEntry>>([&](const auto& reply) { client.search("qwen & co", reply); });
    QVERIFY(found && *found);
    QCOMPARE((*found)->size(), 1);
    QCOMPARE((*found)->first().name, QString("org/repo"));
    QCOMPARE((*found)->first().license, QString("mit"));
    QVERIFY(m_hub->seen().first().path.contains("search=qwen%20%26%20co&"));
  }

  void huggingFace_saysWhatIsMissing() {
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address())});
    const QString missing = errorOf(modelFrom(client, "org/none"));
    QVERIFY2(missing.contains("does not have org/none"), qPrintable(missing));
    m_hub->addModel("org/repo", {});
    m_hub->requireToken("secret");
    const QString refused = errorOf(modelFrom(client, "org/repo"));
    QVERIFY2(refused.contains("the token of that account") && refused.contains("/org/repo"),
             qPrintable(refused));
    HuggingFaceHub withWrong({.endpoint = QUrl(m_hub->address()), .token = "another"});
    const QString wrong = errorOf(modelFrom(withWrong, "org/repo"));
    QVERIFY2(wrong.contains("is wrong or has expired"), qPrintable(wrong));
    HuggingFaceHub withToken({.endpoint = QUrl(m_hub->address()), .token = "secret"});
    QVERIFY(modelFrom(withToken, "org/repo"));
    HuggingFaceHub nowhere({.endpoint = QUrl("http://127.0.0.1:1"), .retries = kQuickRetries});
    QVERIFY(errorOf(modelFrom(nowhere, "org/repo")).contains("cannot be reached"));
  }

  void refusals_dependOnTheToken() {
    const QUrl url("https://hub.example/m");
    const auto refused = [&](int status, bool hasToken) {
      const AskedFor asked{"m.gguf", QUrl("https://hub.example/org/m"), hasToken};
      return problemOf(refusalOf(url, {.status = status}, asked).error);
    };
    QCOMPARE(refused(401, false), HubProblem::kNeedsConsent);
    QCOMPARE(refused(403, false), HubProblem::kNeedsConsent);
    QCOMPARE(refused(401, true), HubProblem::kTokenRefused);
    QCOMPARE(refused(403, true), HubProblem::kNeedsConsent);
    const AskedFor asked{"m.gguf", QUrl("https://hub.example/org/m"), true};
    const std::string words = refusalOf(url, {.status = 403}, asked).error.message;
    QVERIFY2(words.find("the account of your token") != std::string::npos, words.c_str());
  }

  void tokens_areForTheHubAlone() {
    TestHub other;
    other.answer("/elsewhere", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]");
    m_hub->answer("/api/models/org/repo", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " +
                                              other.address().toLatin1() + "/elsewhere\r\n\r\n");
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address()), .token = "secret"});
    QVERIFY(!modelFrom(client, "org/repo"));
    QCOMPARE(m_hub->seen().first().headers.value("authorization"), QByteArray("Bearer secret"));
    QCOMPARE(other.seen().size(), 1);
    QVERIFY(!other.seen().first().headers.contains("authorization"));
  }

  /// A reply names the next page, and with it any host.
  void tokens_areNotForNextPagesElsewhere_data() {
    QTest::addColumn<bool>("isRedirected");
    QTest::newRow("named by the hub") << false;
    QTest::newRow("named where the hub redirects to") << true;
  }

  void tokens_areNotForNextPagesElsewhere() {
    QFETCH(bool, isRedirected);
    TestHub other;
    const QByteArray elsewhere = other.address().toLatin1();
    const QByteArray page = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nLink: <" + elsewhere +
                            "/next>; rel=\"next\"\r\n\r\n[]";
    const QByteArray tree = "/api/models/org/repo/tree/" + QByteArray(40, 'c') + "?recursive=true";
    m_hub->addModel("org/repo", {});
    m_hub->answer(tree, isRedirected ? "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " +
                                           elsewhere + "/first\r\n\r\n"
                                     : page);
    other.answer("/first", page);
    other.answer("/next", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]");
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address()), .token = "secret"});
    const auto model = modelFrom(client, "org/repo");
    QVERIFY2(model, qPrintable(errorOf(model)));
    QCOMPARE(m_hub->seen().last().headers.value("authorization"), QByteArray("Bearer secret"));
    QCOMPARE(other.seen().last().path, QByteArray("/next"));
    const QList<HubRequest> seen = other.seen();
    for (const HubRequest& request : seen) {
      QVERIFY2(!request.headers.contains("authorization"), request.path);
    }
  }

  void tokens_areForAllPagesOfTheHub() {
    m_hub->setPageSize(1);
    m_hub->addModel("org/repo", {{"a.gguf", HubBlob::of("a")}, {"b.gguf", HubBlob::of("b")}});
    m_hub->requireToken("secret");
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address()), .token = "secret"});
    const auto model = modelFrom(client, "org/repo");
    QVERIFY2(model, qPrintable(errorOf(model)));
    QCOMPARE(model->files.size(), 2);
  }

  void hostileHubs_endWithASentence_data() {
    QTest::addColumn<QByteArray>("response");
    QTest::addColumn<QString>("words");
    const auto ok = [](const QByteArray& body) {
      return "HTTP/1.1 200 OK\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" +
             body;
    };
    QTest::newRow("no JSON") << ok("<html>Sign in</html>") << "cannot be used";
    QTest::newRow("no revision") << ok(R"({"id":"a/b","sha":"main"})") << "revision is missing";
    QTest::newRow("endless") << ok(QByteArray(17 << 20, '[')) << "too large";
    QTest::newRow("compressed")
        << QByteArray("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx")
        << "compressed";
    QTest::newRow("loop")
        << QByteArray(
               "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /api/models/org/repo\r\n\r\n")
        << "without end";
    QTest::newRow("another host") << QByteArray(
                                         "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "
                                         "http://example.org/\r\n\r\n")
                                  << "does not go";
    QTest::newRow("no HTTP") << QByteArray("SSH-2.0-OpenSSH\r\n\r\n") << "not a response of HTTP";
  }

  void hostileHubs_endWithASentence() {
    QFETCH(QByteArray, response);
    QFETCH(QString, words);
    m_hub->answer("/api/models/org/repo", response);
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address()), .retries = kQuickRetries});
    const QString error = errorOf(modelFrom(client, "org/repo"));
    QVERIFY2(error.contains(words), qPrintable(error));
  }

  /// Folders are no files, of which only so many are read.
  void listOfFoldersAlone_endsWithASentence() {
    m_hub->addModel("org/repo", {});
    const QByteArray path = "/api/models/org/repo/tree/" + QByteArray(40, 'c') + "?recursive=true";
    const QByteArray body =
        "[{\"type\":\"directory\",\"path\":\"" + QByteArray(12 << 20, 'y') + "\"}]";
    m_hub->answer(path, "HTTP/1.1 200 OK\r\nContent-Length: " + QByteArray::number(body.size()) +
                            "\r\nLink: <" + path + ">; rel=\"next\"\r\n\r\n" + body);
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address()), .retries = kQuickRetries});
    const QString error = errorOf(modelFrom(client, "org/repo"));
    QVERIFY2(error.contains("has no end"), qPrintable(error));
    QCOMPARE(m_hub->seen().size(), 4);  // The model, and 36 MB of its list.
  }

  void ollama_listsLayers() {
    m_hub->addOllama("library/qwen3", "8b",
                     {{"model", HubBlob::of("weights")},
                      {"license", HubBlob::of("\n  MIT License\nmore")},
                      {"params", HubBlob::of("{}")}});
    OllamaHub client({.endpoint = QUrl(m_hub->address())});
    const auto model = modelFrom(client, "qwen3:8b");
    QVERIFY2(model, qPrintable(errorOf(model)));
    QCOMPARE(model->license, QString("MIT License"));
    QCOMPARE(model->files.size(), 3);
    QVERIFY(model->files.first().url.path().startsWith("/v2/library/qwen3/blobs/sha256:"));
    const auto choice = chooseFiles(*model, {});
    QVERIFY(choice);
    QCOMPARE(planDownload(*model, *choice, "/m")->target, QString("ollama/library/qwen3/qwen3-8b"));
    QVERIFY(errorOf(modelFrom(client, "qwen3:none")).contains("does not have qwen3:none"));
    const auto found =
        wait<QList<HubEntry>>([&](const auto& reply) { client.search("qwen", reply); });
    QVERIFY(found && !*found);
  }

  /// Listing a model survives what a download of it survives.
  void passingFailures_ofAListAreRetried_data() {
    QTest::addColumn<QByteArray>("response");
    const auto row = [](const char* name, const QByteArray& head) {
      QTest::newRow(name) << "HTTP/1.1 " + head + "\r\nContent-Length: 0\r\n\r\n";
    };
    row("429", "429 Too Many Requests\r\nRetry-After: 0");
    row("limits", "429 Too Many Requests\r\nRateLimit: \"api\";r=0;t=0");
    row("500", "500 Internal Server Error");
    row("503", "503 Service Unavailable");
    QTest::newRow("cut") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"id\"");
    QTest::newRow("closed") << QByteArray("");
  }

  void passingFailures_ofAListAreRetried() {
    QFETCH(QByteArray, response);
    m_hub->addModel("org/repo", {{"m-Q4_0.gguf", HubBlob::of("weights")}});
    m_hub->addOllama("library/qwen3", "8b", {{"model", HubBlob::of("weights")}});
    QList<qint64> pauses;
    TextRetries retries = kQuickRetries;
    retries.limits.giveUpMs = 5000;
    retries.waiting = [&](const HubFailure&, qint64 pauseMs) { pauses.append(pauseMs); };
    m_hub->answerOnce("/api/models/org/repo", {response, response});
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address()), .retries = retries});
    const auto model = modelFrom(client, "org/repo");
    QVERIFY2(model, qPrintable(errorOf(model)));
    QCOMPARE(pauses.size(), 2);
    m_hub->answerOnce("/v2/library/qwen3/manifests/8b", {response});
    OllamaHub ollama({.endpoint = QUrl(m_hub->address()), .retries = retries});
    QVERIFY(modelFrom(ollama, "qwen3:8b"));
    QCOMPARE(pauses.size(), 3);
  }

  void lastingFailures_ofAListAreNotRetried() {
    HuggingFaceHub client({.endpoint = QUrl(m_hub->address())});
    QVERIFY(!modelFrom(client, "org/none"));
    QCOMPARE(m_hub->seen().size(), 1);
  }

  void endpoints_areAddressesOfHubs() {
    QCOMPARE(readEndpoint(" https://hf-mirror.example/ ")->toString(),
             QString("https://hf-mirror.example"));
    for (const char* bad : {"", "hub", "ftp://hub.example", "https://u:p@hub.example",
                            "https://hub.example?x=1", "file:///etc"}) {
      QVERIFY2(!readEndpoint(bad), bad);
    }
  }

 private:
  std::unique_ptr<TestHub> m_hub;
};

QTEST_GUILESS_MAIN(HubClientsTest)
#include "tst_hub_clients.moc"
