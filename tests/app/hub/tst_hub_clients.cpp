#include <QtTest>

#include "app/hub/download_plan.h"
#include "app/hub/http_fetch.h"
#include "app/hub/hub_replies.h"
#include "app/hub/hugging_face_hub.h"
#include "app/hub/ollama_hub.h"
#include "app/hub/retry_clock.h"
#include "app/hub/safe_path.h"
#include "app/hub/speed_limit.h"
#include "app/hub/stream_hash.h"
#include "tests/app/hub/test_hub.h"

using namespace quire;

namespace {

const TextRetries kQuickRetries = {
    .limits = {.firstMs = 4, .mostMs = 20, .mostAskedMs = 1000, .giveUpMs = 300}};

HubModel modelOf(const QStringList& paths) {
  HubModel model{.name = "org/repo", .revision = QString(40, 'c')};
  for (const QString& path : paths) {
    model.files.append({path, 1000, {FileHash::Kind::kSha256, QByteArray(64, 'a')}, {}});
  }
  return model;
}

QStringList labelsOf(const HubModel& model) {
  QStringList labels;
  for (const ModelChoice& choice : choicesOf(model)) labels.append(choice.label);
  return labels;
}

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

  void names_areRead_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("read");
    QTest::newRow("repository") << "Qwen/Qwen3-8B"
                                << "hf Qwen Qwen3-8B  ";
    QTest::newRow("type") << "Qwen/Qwen3-8B-GGUF:Q4_K_M"
                          << "hf Qwen Qwen3-8B-GGUF Q4_K_M ";
    QTest::newRow("short host") << "hf.co/org/repo"
                                << "hf org repo  ";
    QTest::newRow("page") << "https://huggingface.co/org/repo/"
                          << "hf org repo  ";
    QTest::newRow("file's page") << "https://huggingface.co/org/repo/blob/main/a/b.gguf"
                                 << "hf org repo a/b.gguf main";
    QTest::newRow("revision") << "org/repo@v1.2:Q8_0"
                              << "hf org repo Q8_0 v1.2";
    QTest::newRow("Ollama") << "qwen3:8b"
                            << "ollama library qwen3 8b ";
    QTest::newRow("Ollama without a tag") << "qwen3"
                                          << "ollama library qwen3 latest ";
    QTest::newRow("Ollama's user") << "ollama.com/user/model"
                                   << "ollama user model latest ";
    for (const char* bad : {"", "/", "a/b/c", "../x", "org/..", "org/repo:../x", "org/re po",
                            "org/repo@../x", "qwen3@main", "https://example.org/a/b",
                            "org/repo:a/../b", "-org/repo", "org/repo/blob/main/../x"}) {
      QTest::newRow(bad) << QString(bad) << QString();
    }
  }
  void names_areRead() {
    QFETCH(QString, typed);
    const auto name = readHubName(typed);
    const QString text = name ? QStringList{name->hub == HubName::Hub::kOllama ? "ollama" : "hf",
                                            name->owner, name->model, name->tag, name->revision}
                                    .join(' ')
                              : QString();
    QTEST(text, "read");
  }

  void paths_stayInTheirFolder() {
    for (const char* good :
         {"model.gguf", "1_Pooling/config.json", "a/b/c/d.json", "ünïcode.txt"}) {
      QVERIFY2(isSafePath(good), good);
    }
    for (const char* bad :
         {"",     "/etc/passwd", "../x", "a/../b",    "a//b",    "a/",   ".hidden",
          "a/.b", "a\\b",        "C:x",  "con",       "NUL.txt", "a\nb", "a\x1b[0m",
          "a.",   " a",          "a ",   "a/b/c/d/e", "a*b",     "a?b"}) {
      QVERIFY2(!isSafePath(bad), bad);
    }
    QVERIFY(!isSafePath(QString(300, 'x')));
    QVERIFY(!isSafePath(QString::fromUtf8("a\u202eb")));
  }

  void choices_areFilesSetsAndFolders() {
    const HubModel gguf =
        modelOf({"README.md", "m-Q4_K_M.gguf", "m-Q8_0-00002-of-00002.gguf",
                 "m-Q8_0-00001-of-00002.gguf", "UD/m-UD-IQ2_XXS.gguf", "mmproj-F16.gguf",
                 "imatrix.gguf", "m-BF16-00001-of-00003.gguf", "m.bin"});
    QCOMPARE(labelsOf(gguf), QStringList({"Q4_K_M", "Q8_0", "UD-IQ2_XXS"}));
    QCOMPARE(chooseFiles(gguf, {})->label, QString("Q4_K_M"));
    QCOMPARE(chooseFiles(gguf, "q8_0")->files.size(), 2);
    QCOMPARE(chooseFiles(gguf, "q8_0")->files.first().path, QString("m-Q8_0-00001-of-00002.gguf"));
    QCOMPARE(chooseFiles(gguf, "m-UD-IQ2_XXS.gguf")->label, QString("UD-IQ2_XXS"));
    QCOMPARE(chooseProjector(gguf)->path, QString("mmproj-F16.gguf"));
    const auto missing = chooseFiles(gguf, "Q2_K");
    QVERIFY(!missing);
    QCOMPARE(missing.error().message,
             std::string("org/repo has no \"Q2_K\". It has Q4_K_M, Q8_0, UD-IQ2_XXS"));

    const HubModel folder = modelOf(
        {"config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
         "model.safetensors.index.json", "tokenizer.json", "merges.txt", "LICENSE",
         "consolidated.safetensors", "pytorch_model.bin", "pytorch_model.bin.index.json",
         "onnx/model.onnx", "original/x.pth", "1_Pooling/config.json", "README.md", "run.py"});
    const auto chosen = chooseFiles(folder, {});
    QVERIFY(chosen && chosen->isFolder);
    QStringList paths;
    for (const HubFile& file : chosen->files) paths.append(file.path);
    QCOMPARE(paths,
             QStringList({"config.json", "model-00001-of-00002.safetensors",
                          "model-00002-of-00002.safetensors", "model.safetensors.index.json",
                          "tokenizer.json", "merges.txt", "LICENSE", "1_Pooling/config.json"}));
    QVERIFY(choicesOf(modelOf({"config.json", "model-00001-of-00002.safetensors"})).isEmpty());
    QVERIFY(!chooseFiles(modelOf({"pytorch_model.bin", "config.json"}), {}));
  }

  void plans_refuseUnsafeNames() {
    const auto plan = [](const QStringList& paths, bool isFolder) {
      const HubModel model = modelOf(paths);
      return planDownload(model, {"x", "x", isFolder, model.files}, "/models");
    };
    QCOMPARE(plan({"a/m-Q4_0.gguf"}, false)->targetPath(), QString("/models/org/repo/m-Q4_0.gguf"));
    QCOMPARE(plan({"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"}, false)->target,
             QString("org/repo/m"));
    QCOMPARE(plan({"config.json", "model.safetensors"}, true)->target, QString("org/repo"));
    QVERIFY(!plan({"a/..", "x"}, true));
    QVERIFY(!plan({"../config.json"}, true));
    QVERIFY(!plan({"/etc/passwd"}, true));
    QVERIFY(!plan({"A.json", "a.json"}, true));
    QVERIFY(!plan({"a/m.gguf", "b/m.gguf"}, false));
    QVERIFY(!plan({}, false));
  }

  void replies_thatAreWrongAreRefused_data() {
    QTest::addColumn<QByteArray>("body");
    const QByteArray hash(64, 'a');
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("<html>");
    QTest::newRow("object") << QByteArray("{}");
    QTest::newRow("no size") << QByteArray(R"([{"type":"file","path":"a","oid":")" +
                                           QByteArray(40, 'a') + R"("}])");
    QTest::newRow("negative") << QByteArray(R"([{"type":"file","path":"a","size":-1,"oid":")" +
                                            QByteArray(40, 'a') + R"("}])");
    QTest::newRow("huge") << QByteArray(
        R"([{"type":"file","path":"a","size":99999999999999999999,"oid":")" + QByteArray(40, 'a') +
        R"("}])");
    QTest::newRow("text as size") << QByteArray(R"([{"type":"file","path":"a","size":"1","oid":")" +
                                                QByteArray(40, 'a') + R"("}])");
    QTest::newRow("no hash") << QByteArray(R"([{"type":"file","path":"a","size":1,"oid":"zz"}])");
    QTest::newRow("deep") << QByteArray(100'000, '[');
  }
  void replies_thatAreWrongAreRefused() {
    QFETCH(QByteArray, body);
    QList<HubFile> files;
    QVERIFY(!readTree(body, files));
    QVERIFY(!readManifest(body, "m"));
    QVERIFY(!readModelInfo(body));
    if (body != "{}") QVERIFY(!readSearch(body) || body.startsWith("[{"));
  }

  /// What is refused is named, instead of being called missing.
  void faultsOfFiles_areNamed_data() {
    QTest::addColumn<QByteArray>("size");
    QTest::addColumn<QByteArray>("hash");
    QTest::addColumn<QString>("words");
    const QByteArray hash = '"' + QByteArray(40, 'a') + '"';
    QTest::newRow("negative") << QByteArray("-1") << hash << "the size of a.gguf is negative";
    QTest::newRow("huge") << QByteArray("99999999999999") << hash
                          << "99999999999999 bytes, and no file may have more than 4398046511104";
    QTest::newRow("fraction") << QByteArray("1.5") << hash << "is 1.5 bytes";
    QTest::newRow("text") << QByteArray("\"1\"") << hash << "is no number";
    QTest::newRow("null") << QByteArray("null") << hash << "the size of a.gguf is missing";
    QTest::newRow("hash") << QByteArray("1") << QByteArray("\"zz\"") << "hash of a.gguf is no hash";
    QTest::newRow("no hash") << QByteArray("1") << QByteArray("null")
                             << "the hash of a.gguf is missing";
  }
  void faultsOfFiles_areNamed() {
    QFETCH(QByteArray, size);
    QFETCH(QByteArray, hash);
    QFETCH(QString, words);
    QList<HubFile> files;
    const auto read = readTree(
        R"([{"type":"file","path":"a.gguf","size":)" + size + R"(,"oid":)" + hash + "}]", files);
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().message).contains(words),
             read.error().message.c_str());
  }

  void faultsOfPlans_areNamed() {
    const auto refused = [](const HubModel& model) {
      const auto plan = planDownload(model, {"x", "x", false, model.files}, "/models");
      return plan ? QString() : QString::fromStdString(plan.error().message);
    };
    HubModel model = modelOf({"a/m.gguf", "b/M.gguf"});
    QVERIFY2(refused(model).contains("two files with the name \"M.gguf\""),
             qPrintable(refused(model)));
    model = modelOf({"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"});
    model.files[1].bytes = kMostFileBytes;
    QVERIFY2(
        refused(model).contains("at most 4398.0 GB") || refused(model).contains("at most 4.4 TB"),
        qPrintable(refused(model)));
    model = modelOf({"m.gguf"});
    model.files[0].bytes = 0;
    QVERIFY2(refused(model).contains("m.gguf is empty"), qPrintable(refused(model)));
    QVERIFY2(refused(modelOf({"../m.g/.."})).contains("not safe"), "");
  }

  void manifests_giveFilesTheirNames() {
    const QByteArray digest = "sha256:" + QByteArray(64, 'b');
    const auto manifest = [&](const QByteArrayList& types) {
      QByteArray layers;
      for (const QByteArray& type : types) {
        if (!layers.isEmpty()) layers += ',';
        layers += "{\"mediaType\":\"application/vnd.ollama.image." + type + "\",\"digest\":\"" +
                  digest + "\",\"size\":5}";
      }
      return readManifest("{\"layers\":[" + layers + "]}", "qwen3-8b");
    };
    const auto files = manifest({"model", "template", "license", "license", "params", "unknown"});
    QVERIFY(files);
    QStringList names;
    for (const HubFile& file : *files) names.append(file.path);
    QCOMPARE(names, QStringList({"qwen3-8b.gguf", "template.txt", "LICENSE.txt", "LICENSE-2.txt",
                                 "params.json"}));
    QVERIFY(!manifest({"model", "model"}));
    QVERIFY(!manifest({"template"}));
    QVERIFY(!manifest({"model", "adapter"}));
  }

  void hashes_areGitsAndSha256() {
    StreamHash git(FileHash::Kind::kGitSha1, 6);
    git.add("hello\n");
    QCOMPARE(git.hex(), QByteArray("ce013625030ba8dba906f756967f9e9ca394464a"));  // git hash-object
    StreamHash sha(FileHash::Kind::kSha256, 6);
    sha.add("hel");
    sha.add("lo\n");
    QCOMPARE(sha.hex(),
             QByteArray("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"));
  }

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
    HuggingFaceHub withToken({.endpoint = QUrl(m_hub->address()), .token = "secret"});
    QVERIFY(modelFrom(withToken, "org/repo"));
    HuggingFaceHub nowhere({.endpoint = QUrl("http://127.0.0.1:1"), .retries = kQuickRetries});
    QVERIFY(errorOf(modelFrom(nowhere, "org/repo")).contains("cannot be reached"));
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
