#include <QtTest>

#include <QSslConfiguration>
#include <QSslSocket>

#include "app/hub/download_queue.h"
#include "app/hub/hub_replies.h"
#include "app/hub/hugging_face_hub.h"
#include "app/hub/ollama_hub.h"
#include "tests/app/hub/test_authority.h"
#include "tests/app/hub/test_proxy.h"

using namespace quire;

namespace {

/// The recorded responses; see the README there.
QByteArray recorded(const QString& name) {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/hub/") + name);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray responseOf(const QByteArray& body, const QByteArray& type = "application/json") {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + type +
         "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

/// What is between Quire and a hub: encryption, certificates, proxies; and responses as the hubs
/// themselves give them.
class HubNetworkTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY2(m_authority.works(), "the program openssl is missing");
    QVERIFY(QSslSocket::supportsSsl());
  }
  void init() {
    m_system = QSslConfiguration::defaultConfiguration();
    m_folder = std::make_unique<QTemporaryDir>();
  }
  void cleanup() {
    QSslConfiguration::setDefaultConfiguration(m_system);
    for (const char* name : {"http_proxy", "https_proxy", "no_proxy"}) qunsetenv(name);
  }

  void https_bringsAModel() {
    trustTheAuthority();
    TestHub hub(m_authority.identityFor("IP:127.0.0.1"));
    QVERIFY(hub.address().startsWith("https:"));
    download(hub);
  }

  void certificates_areChecked_data() {
    QTest::addColumn<QByteArray>("subject");
    QTest::addColumn<bool>("isTrusted");
    QTest::newRow("unknown authority") << QByteArray("IP:127.0.0.1") << false;
    QTest::newRow("another host") << QByteArray("DNS:other.test") << true;
    QTest::newRow("another address") << QByteArray("IP:127.0.0.2") << true;
  }
  void certificates_areChecked() {
    QFETCH(QByteArray, subject);
    QFETCH(bool, isTrusted);
    if (isTrusted) trustTheAuthority();
    TestHub hub(m_authority.identityFor(subject));
    hub.addModel("org/repo", {{"m-Q4_0.gguf", HubBlob::of(ggufOf(5000, 1))}});
    QElapsedTimer timer;
    timer.start();
    const auto model = modelFrom(hub);
    QVERIFY(!model);
    const QString error = QString::fromStdString(model.error().message);
    QVERIFY2(error.contains("127.0.0.1") && error.contains("could not prove its identity"),
             qPrintable(error));
    QVERIFY2(!isTrusted || error.contains("host name", Qt::CaseInsensitive), qPrintable(error));
    QCOMPARE(hub.seen().size(), 0);
  }

  void redirectsToHttp_areRefused() {
    trustTheAuthority();
    TestHub hub(m_authority.identityFor("IP:127.0.0.1"));
    TestHub plain;
    hub.answer("/api/models/org/repo", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " +
                                           plain.address().toLatin1() + "/x\r\n\r\n");
    const auto model = modelFrom(hub);
    QVERIFY(!model);
    QVERIFY2(model.error().message.find("does not go") != std::string::npos,
             model.error().message.c_str());
    QCOMPARE(plain.seen().size(), 0);
  }

  void proxy_isUsed_data() {
    QTest::addColumn<bool>("isEncrypted");
    QTest::newRow("http") << false;
    QTest::newRow("https") << true;
  }
  void proxy_isUsed() {
    QFETCH(bool, isEncrypted);
    trustTheAuthority();
    TestProxy proxy;
    qputenv("http_proxy", proxy.address());
    qputenv("https_proxy", proxy.address());
    TestHub hub(isEncrypted ? m_authority.identityFor("DNS:hub.test") : HubIdentity());
    hub.setHost("hub.test");
    download(hub);
    // A list in two requests, and a file with its redirect.
    QVERIFY2(proxy.asked.size() >= 4, qPrintable(QString::number(proxy.asked.size())));
    for (const QByteArray& one : std::as_const(proxy.asked)) {
      QCOMPARE(one, "hub.test:" + QByteArray::number(hub.port()));
    }
  }

  void noProxy_isFollowed() {
    TestProxy proxy;
    qputenv("http_proxy", proxy.address());
    qputenv("no_proxy", "other.test,hub.invalid");
    TestHub hub;
    hub.setHost("hub.invalid");
    const auto model = modelFrom(hub);
    QVERIFY(!model);
    QVERIFY2(model.error().message.find("cannot be reached: Host not found") != std::string::npos,
             model.error().message.c_str());
    QCOMPARE(proxy.asked.size(), 0);
  }

  void thisComputer_needsNoProxy() {
    TestProxy proxy;
    qputenv("http_proxy", proxy.address());
    TestHub hub;
    download(hub);
    QCOMPARE(proxy.asked.size(), 0);
  }

  void proxiesThatRefuse_areNamed() {
    TestProxy proxy;
    proxy.refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    qputenv("http_proxy", proxy.address());
    TestHub hub;
    hub.setHost("hub.test");
    const auto model = modelFrom(hub);
    QVERIFY(!model);
    QVERIFY2(QString::fromStdString(model.error().message).contains("proxy", Qt::CaseInsensitive),
             model.error().message.c_str());
    QCOMPARE(hub.seen().size(), 0);
  }

  /// Responses with all members that Hugging Face's have, and files in xet storage.
  void recordedHuggingFace_isRead() {
    const QByteArray name = "Qwen/Qwen3-8B-GGUF";
    const QByteArray commit = "7c41481f57cb95916b40956ab2f0b139b296d974";
    TestHub hub;
    hub.answer("/api/models/" + name, responseOf(recorded("hugging_face_model.json")));
    hub.answer("/api/models/" + name + "/tree/" + commit + "?recursive=true",
               responseOf(recorded("hugging_face_tree.json")));
    const auto model = modelFrom(hub, name);
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    QCOMPARE(model->license, QString("apache-2.0"));
    QVERIFY(!model->isGated);
    QCOMPARE(model->files.size(), 2);  // Without the hidden file and the folder.
    const auto choice = chooseFiles(*model, "Q4_K_M");
    QVERIFY(choice);
    QCOMPARE(choice->bytes(), 5'027'783'488);
    // The SHA-256 of LFS verifies the file, not the name in xet storage, which looks the same.
    QVERIFY(choice->files.first().hash.hex.startsWith("9f13a1c5"));
    const auto entries = readSearch(recorded("hugging_face_search.json"));
    QVERIFY(entries && entries->size() == 2);
    QCOMPARE(entries->at(0).license, QString("apache-2.0"));
    QVERIFY(!entries->at(0).isGated && entries->at(1).isGated);
  }

  void recordedRedirects_areFollowed_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("Hugging Face") << "hugging_face_resolve.http";
    QTest::newRow("Ollama") << "ollama_blob.http";
  }
  void recordedRedirects_areFollowed() {
    QFETCH(QString, name);
    TestHub hub;
    const QByteArray contents = ggufOf(5000, 1);
    hub.addModel("org/repo", {{"m-Q4_0.gguf", HubBlob::of(contents)}});
    const HubBlob blob = HubBlob::of(contents);
    const QByteArray storage = hub.address().toLatin1() + "/cdn/" + blob.sha256 + "?Expires=1";
    hub.answer("/org/repo/resolve/" + QByteArray(40, 'c') + "/m-Q4_0.gguf",
               recorded(name).replace("%1", storage));
    download(hub, /*isNew=*/false);
    QCOMPARE(hub.seen().last().path, "/cdn/" + blob.sha256 + "?Expires=1");
  }

  void recordedManifest_isRead() {
    TestHub hub;
    hub.answer("/v2/library/qwen3/manifests/8b",
               responseOf(recorded("ollama_manifest.json"), "text/plain; charset=utf-8"));
    OllamaHub client({.endpoint = QUrl(hub.address())});
    const auto name = readHubName("qwen3:8b");
    std::optional<Result<HubModel>> model;
    client.model(*name, [&](const Result<HubModel>& found) { model = found; });
    QTRY_VERIFY(model.has_value());
    QVERIFY2(*model, *model ? "" : model->error().message.c_str());
    QCOMPARE((*model)->files.size(), 4);
    QCOMPARE((*model)->files.first().bytes, 5'225'374'560);
  }

 private:
  void trustTheAuthority() {
    QSslConfiguration configuration = m_system;
    configuration.addCaCertificate(m_authority.certificate());
    QSslConfiguration::setDefaultConfiguration(configuration);
  }

  static Result<HubModel> modelFrom(const TestHub& hub, const QByteArray& typed = "org/repo") {
    const TextRetries retries = {.limits = {.firstMs = 4, .mostMs = 20, .giveUpMs = 200}};
    HuggingFaceHub client({.endpoint = QUrl(hub.address()), .retries = retries});
    const auto name = readHubName(QString::fromLatin1(typed));
    std::optional<Result<HubModel>> model;
    client.model(*name, [&](const Result<HubModel>& found) { model = found; });
    static_cast<void>(QTest::qWaitFor([&] { return model.has_value(); }, 30'000));
    return model.value_or(Error{ErrorCode::kInternal, "no reply"});
  }

  /// Lists the hub's model and downloads it.
  void download(TestHub& hub, bool isNew = true) {
    if (isNew) hub.addModel("org/repo", {{"m-Q4_0.gguf", HubBlob::of(ggufOf(500'000, 1))}});
    const auto model = modelFrom(hub);
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    const auto plan = planDownload(*model, *chooseFiles(*model, {}), m_folder->path());
    QVERIFY(plan);
    DownloadQueue queue({.spareBytes = 0, .inspector = {}});
    const DownloadId id = queue.add(*plan);
    QTRY_VERIFY_WITH_TIMEOUT(queue.status(id).hasEnded(), 30'000);
    QVERIFY2(queue.status(id).state == DownloadState::kDone, qPrintable(queue.errorText(id)));
    QCOMPARE(QFileInfo(plan->targetPath()).size(), plan->bytes());
  }

  TestAuthority m_authority;
  QSslConfiguration m_system;
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(HubNetworkTest)
#include "tst_hub_network.moc"
