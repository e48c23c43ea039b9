#include <QtTest>

#include "app/hub/download_plan.h"
#include "app/hub/hub_replies.h"
#include "app/hub/safe_path.h"
#include "app/hub/stream_hash.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

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

}  // namespace

/// What users type and hubs answer: names, lists of files, and what is chosen of them.
class HubRepliesTest : public QObject {
  Q_OBJECT

 private slots:
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
    for (const char* bad :
         {"", "/", "a/b/c", "../x", "org/..", "org/repo:../x", "org/re po", "org/repo@../x",
          "qwen3@main", "https://example.org/a/b", "org/repo:a/../b", "-org/repo",
          "org/repo:", "org/repo@", "qwen3:", "org/repo/blob/main/../x"}) {
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

    // Several files of one type are told apart by their names.
    const HubModel twins =
        modelOf({"a-Q4_K_M.gguf", "b-Q4_K_M.gguf", "a-Q8_0.gguf", "x/c-F16.gguf", "y/c-F16.gguf"});
    QCOMPARE(labelsOf(twins), QStringList({"a-Q4_K_M.gguf", "b-Q4_K_M.gguf", "Q8_0", "x/c-F16.gguf",
                                           "y/c-F16.gguf"}));
    QCOMPARE(chooseFiles(twins, "b-Q4_K_M.gguf")->files.first().path, QString("b-Q4_K_M.gguf"));
    QCOMPARE(chooseFiles(twins, "y/c-F16.gguf")->files.first().path, QString("y/c-F16.gguf"));

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

  void searches_giveAsManyModelsAsWereAskedFor() {
    QByteArray list;
    for (int i = 0; i < 10'000; ++i) {
      list += QByteArray(i == 0 ? "" : ",") + "{\"id\":\"org/m" + QByteArray::number(i) + "\"}";
    }
    const auto entries = readSearch('[' + list + ']');
    QVERIFY(entries);
    QCOMPARE(entries->size(), 30);
    QCOMPARE(entries->last().name, QString("org/m29"));
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

  void plansOfTooManyFiles_areRefused() {
    const auto planOf = [](qsizetype count) {
      QStringList paths = {"config.json", "model.safetensors"};
      while (paths.size() < count) paths.append(QString("%1.json").arg(paths.size()));
      const HubModel model = modelOf(paths);
      return planDownload(model, {"safetensors", {}, true, model.files}, "/models");
    };
    QVERIFY(planOf(kMostPlannedFiles));
    const auto refused = planOf(kMostPlannedFiles + 1);
    QVERIFY(!refused);
    QCOMPARE(refused.error().message,
             std::string("org/repo has 1001 files, and Quire downloads at most 1000. Choose "
                         "another model"));
  }

  /// As many as a hub may list, of one type and with names that differ late.
  void twentyThousandFilesOfOneLabel_areListedInTime() {
    QStringList paths;
    const QString same = QString(900, 'n') + "-Q4_K_M.gguf";
    for (qsizetype i = 0; i < kMostHubFiles; ++i) paths.append(QString("%1/").arg(i) + same);
    const HubModel model = modelOf(paths);
    const double before = test::thread_ms();
    QCOMPARE(labelsOf(model), paths);
    const double ms = test::thread_ms() - before;
    QVERIFY2(ms < 5'000 * test::kSanitizerFactor, qPrintable(QString::number(ms)));
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
    QCOMPARE(manifest(QByteArrayList(63, "license") << "model")->size(), 64);
    QVERIFY(!manifest(QByteArrayList(64, "license") << "model"));
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
};

QTEST_GUILESS_MAIN(HubRepliesTest)
#include "tst_hub_replies.moc"
