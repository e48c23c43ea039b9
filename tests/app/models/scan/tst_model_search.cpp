#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/models/scan/model_search.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;

/// The candidates that are found by name in the layout of each application.
class ModelSearchTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(m_folder->path());
    m_stop = std::stop_source();
  }

  void tree_findsFilesAndFolders() {
    m_layouts->file("org/one/model-Q4_0.gguf", "x");
    m_layouts->file("org/two/config.json", "{}");
    m_layouts->file("org/two/model.safetensors", "x");
    m_layouts->file("org/two/tokenizer.json", "{}");
    m_layouts->file("org/two/readme.md", "no model");
    m_layouts->file("notes.txt", "no model");
    const auto found = search({"LM Studio", m_folder->path()});
    QCOMPARE(names(found), QStringList({"model-Q4_0", "two"}));
    QCOMPARE(found.candidates[0].source, QString("LM Studio"));
    QCOMPARE(found.candidates[0].path, m_layouts->path("org/one/model-Q4_0.gguf"));
    QCOMPARE(found.candidates[1].path, m_layouts->path("org/two"));
    QCOMPARE(found.candidates[1].files.size(), 3);
  }

  void splitSet_isOneCandidate_withAllItsFiles() {
    for (const char* part : {"big-00001-of-00003.gguf", "big-00002-of-00003.gguf",
                             "big-00003-of-00003.gguf", "lost-00002-of-00002.gguf"})
      m_layouts->file(part, "x");
    const auto found = search({"", m_folder->path()});
    QCOMPARE(names(found), QStringList({"big", "lost"}));
    QCOMPARE(found.candidates[0].files.size(), 3);
    QVERIFY(found.candidates[0].path.endsWith("00001-of-00003.gguf"));
    QVERIFY(found.candidates[1].path.endsWith("00002-of-00002.gguf"));
  }

  void fileWithSeveralNames_isFoundOnce() {
    m_layouts->file("a/model.gguf", "x");
    m_layouts->symbolicLink(m_layouts->path("a/model.gguf"), "b/linked.gguf");
    m_layouts->hardLink(m_layouts->path("a/model.gguf"), "c/hard.gguf");
    m_layouts->symbolicLink(m_layouts->path("a"), "d");
    QCOMPARE(search({"", m_folder->path()}).candidates.size(), 1);
  }

  void loopOfLinks_terminates() {
    m_layouts->file("a/model.gguf", "x");
    m_layouts->symbolicLink(m_folder->path(), "a/up");
    m_layouts->symbolicLink(m_layouts->path("self"), "self");
    m_layouts->symbolicLink(m_layouts->path("nowhere"), "a/broken.gguf");
    QCOMPARE(names(search({"", m_folder->path()})), QStringList({"model"}));
  }

  /// Users keep models on other disks.
  void linksOutOfThePlace_areFollowed() {
    m_layouts->file("disk/big.gguf", "x");
    m_layouts->file("disk/folder/other.gguf", "y");
    m_layouts->folder("models");
    m_layouts->symbolicLink(m_layouts->path("disk/big.gguf"), "models/linked.gguf");
    m_layouts->symbolicLink(m_layouts->path("disk/folder"), "models/more");
    QCOMPARE(names(search({"", m_layouts->path("models")})), QStringList({"linked", "other"}));
  }

  /// Opening one of them would wait for ever, or do something.
  void pipesAndDevices_areNoCandidates_norLinksToThem() {
    m_layouts->file("good.gguf", "x");
    const QString pipe = m_layouts->path("pipe.gguf");
    QCOMPARE(::mkfifo(qPrintable(pipe), 0600), 0);
    m_layouts->symbolicLink(pipe, "link_to_pipe.gguf");
    for (const char* device : {"zero", "null", "tty"}) {
      m_layouts->symbolicLink(QString("/dev/") + device, QString(device) + ".gguf");
    }
    m_layouts->file("folder/config.json", "{}");
    m_layouts->symbolicLink("/dev/zero", "folder/model.safetensors");
    m_layouts->symbolicLink(pipe, "weights/config.json");
    m_layouts->file("weights/model.safetensors", "x");
    QCOMPARE(names(search({"", m_folder->path()})), QStringList({"good"}));
    const QString blob = m_layouts->ollama("o", "library/qwen3/8b", "first");
    QVERIFY(QFile::remove(blob));
    QCOMPARE(::mkfifo(qPrintable(blob), 0600), 0);
    const auto found = search({"Ollama", m_layouts->path("o"), PlaceLayout::kOllama});
    QVERIFY(found.candidates.isEmpty());
    QCOMPARE(found.leftOut.size(), 1);
  }

  /// A place may also hold links to a whole disk: those folders that are the kernel's are left out.
  void foldersOfTheKernel_areNotSearched() {
    m_layouts->file("a.gguf", "x");
    m_layouts->symbolicLink("/proc", "proc");
    m_layouts->symbolicLink("/sys", "sys");
    m_layouts->symbolicLink("/proc/self/task", "task");
    const auto found = search({"", m_folder->path()}, {.entries = 10});
    QVERIFY(!found.limited);
    QCOMPARE(names(found), QStringList({"a"}));
  }

  void namesThatAreNoUtf8_areReported() {
    const std::filesystem::path root = m_folder->path().toStdString();
    std::ofstream(root / "bad-\xff\xfe.gguf") << "x";
    std::ofstream(root / "notes-\xff.txt") << "x";
    std::filesystem::create_directory(root / "fol\xff");
    std::ofstream(root / "fol\xff" / "model.gguf") << "x";
    m_layouts->file("good.gguf", "x");
    const auto found = search({"", m_folder->path()});
    std::filesystem::remove_all(root / "fol\xff");  // Which Qt cannot name.
    std::filesystem::remove(root / "bad-\xff\xfe.gguf");
    std::filesystem::remove(root / "notes-\xff.txt");
    QCOMPARE(names(found), QStringList({"good"}));
    QStringList leftOut;
    for (const LeftOutFile& file : found.leftOut) {
      leftOut.append(QFileInfo(file.path).fileName());
      QVERIFY2(file.reason.contains("UTF-8"), qPrintable(file.reason));
    }
    leftOut.sort();
    QCOMPARE(leftOut, QStringList({"bad-<0xFF><0xFE>.gguf", "fol<0xFF>"}));
  }

  void pathsThatAreTooLong_areReported() {
    const std::string name(255, 'd');
    int folder = ::open(qPrintable(m_folder->path()), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 15; ++i) {
      QCOMPARE(::mkdirat(folder, name.c_str(), 0700), 0);
      const int below = ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY);
      ::close(folder);
      folder = below;
    }
    const std::string model = std::string(250, 'm') + ".gguf";
    const int file = ::openat(folder, model.c_str(), O_WRONLY | O_CREAT, 0600);
    QVERIFY(file >= 0);
    ::close(file);
    ::close(folder);
    const auto found = search({"", m_folder->path()});
    std::filesystem::remove_all(std::filesystem::path(m_folder->path().toStdString()) / name);
    QVERIFY(found.candidates.isEmpty());
    QCOMPARE(found.leftOut.size(), 1);
    QVERIFY2(found.leftOut[0].reason.contains("too long"), qPrintable(found.leftOut[0].reason));
  }

  void adapter_isSkipped_withAReason() {
    m_layouts->file("lora/adapter_config.json", "{}");
    m_layouts->file("lora/adapter_model.safetensors", "x");
    const auto found = search({"", m_folder->path()});
    QVERIFY(found.candidates.isEmpty());
    QCOMPARE(found.leftOut.size(), 1);
    QVERIFY(found.leftOut[0].reason.contains("adapter"));
  }

  void ollama_namesAreThoseOfItsList() {
    const QString blob = m_layouts->ollama("o", "library/qwen3/8b", "first");
    m_layouts->ollama("o", "library/qwen3/latest", "first");  // Another name of the same file.
    m_layouts->ollama(
        "o", "someone/tuned/7b", "second",
        R"(,{"mediaType":"application/vnd.ollama.image.adapter","digest":"sha256:0"})");
    const auto found = search({"Ollama", m_layouts->path("o"), PlaceLayout::kOllama});
    QCOMPARE(names(found), QStringList({"qwen3:8b", "someone/tuned:7b"}));
    QCOMPARE(found.candidates[0].path, blob);
    QVERIFY(found.candidates[0].note.isEmpty());
    QVERIFY(found.candidates[1].note.contains("adapter"));
  }

  void ollama_reportsDamagedAndMissingFiles() {
    const QString lost = m_layouts->ollama("o", "library/lost/1b", "third");
    QVERIFY(QFile::remove(lost));
    const QString folder = "o/manifests/registry.ollama.ai/library/";
    m_layouts->file(folder + "torn/1b", "{\"layers\": [{");
    m_layouts->file(folder + "deep/1b", QByteArray(1 << 19, '['));
    m_layouts->file(folder + "huge/1b", QByteArray(2 << 20, ' '));
    m_layouts->file(folder + "escape/1b",
                    R"({"layers":[{"mediaType":"application/vnd.ollama.image.model",)"
                    R"("digest":"sha256:../../../../etc/passwd"}]})");
    m_layouts->file(folder + "wrong/1b", R"({"layers":[7,{"mediaType":3,"digest":[]},null]})");
    m_layouts->file(
        folder + "number/1b",
        R"({"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":7}]})");
    m_layouts->file(folder + "remote/1b",
                    R"({"layers":[{"mediaType":"application/vnd.ollama.image.params"}]})");
    const auto found = search({"Ollama", m_layouts->path("o"), PlaceLayout::kOllama});
    QVERIFY(found.candidates.isEmpty());
    QCOMPARE(found.leftOut.size(), 7);
    const auto lostEntry =
        std::find_if(found.leftOut.cbegin(), found.leftOut.cend(),
                     [](const auto& file) { return file.path.contains("lost"); });
    QVERIFY(lostEntry != found.leftOut.cend());
    QVERIFY2(lostEntry->reason.contains("lost:1b is missing"), qPrintable(lostEntry->reason));
  }

  void huggingFace_usesTheSnapshotOfMain() {
    const QString root = m_layouts->path("hub");
    m_layouts->huggingFace("hub", "org/first", "model-Q8_0.gguf", "one");
    m_layouts->huggingFace("hub", "org/second", "config.json", "{}");
    m_layouts->huggingFace("hub", "org/second", "model.safetensors", "two");
    m_layouts->huggingFace("hub", "org/unnamed", "small.gguf", "three", false);
    m_layouts->file("hub/models--org--first/snapshots/old/model-Q8_0.gguf", "older");
    m_layouts->file("hub/datasets--org--data/snapshots/x/data.gguf", "no model");
    const auto found = search({"Hugging Face", root, PlaceLayout::kHuggingFace});
    QCOMPARE(names(found),
             QStringList({"org/first · model-Q8_0", "org/second", "org/unnamed · small"}));
    QVERIFY(found.candidates[0].path.endsWith("/model-Q8_0.gguf"));  // Not the blob.
  }

  void depthAndNumber_areLimited() {
    m_layouts->file("1/2/3/4/deep.gguf", "x");
    m_layouts->file("1/near.gguf", "x");
    QCOMPARE(names(search({"", m_folder->path()}, {.depth = 2})), QStringList({"near"}));
    const auto few = search({"", m_folder->path()}, {.entries = 3});
    QVERIFY(few.limited);
  }

  void tenThousandFiles_areSearchedFast() {
    for (int i = 0; i < 10'000; ++i)
      m_layouts->file(QStringLiteral("many/%1-of-99999.gguf")
                          .arg(QStringLiteral("p-%1").arg(99'999 - i, 5, 10, QChar(u'0'))),
                      {});
    QElapsedTimer timer;
    timer.start();
    const auto found = search({"", m_folder->path()});
    QCOMPARE(found.candidates.size(), 1);
    QCOMPARE(found.candidates[0].files.size(), 10'000);
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
  }

  void stopRequest_stopsTheSearch() {
    m_layouts->file("model.gguf", "x");
    m_stop.request_stop();
    QVERIFY(search({"", m_folder->path()}).candidates.isEmpty());
  }

  void unreadableFolder_isReported() {
    if (::geteuid() == 0) QSKIP("Nothing is unreadable to the superuser.");
    m_layouts->file("closed/model.gguf", "x");
    QFile::setPermissions(m_layouts->path("closed"), {});
    const auto found = search({"", m_folder->path()});
    QFile::setPermissions(m_layouts->path("closed"),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QVERIFY(found.candidates.isEmpty());
    QCOMPARE(found.leftOut.size(), 1);
  }

 private:
  ModelSearch::Found search(const ModelPlace& place, const ModelSearch::Limits& limits = {}) {
    ModelSearch search(limits, m_stop.get_token());
    search.search(place);
    return search.found();
  }
  static QStringList names(const ModelSearch::Found& found) {
    QStringList names;
    for (const ModelCandidate& candidate : found.candidates) names.append(candidate.name);
    return names;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
  std::stop_source m_stop;
};

QTEST_GUILESS_MAIN(ModelSearchTest)
#include "tst_model_search.moc"
