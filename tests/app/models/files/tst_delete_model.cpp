#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>

#include "app/models/files/delete_model.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;

/// Which files belong to a model, and that nothing else is deleted.
class DeleteModelTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { qputenv("XDG_DATA_HOME", m_data.path().toUtf8()); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(QFileInfo(m_folder->path()).canonicalFilePath());
  }

  void splitSet_isDeletedWithItsProjector_andItsEmptyFolders() {
    for (const char* name :
         {"big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "mmproj-big.gguf"})
      m_layouts->file(QString("place/org/big/") + name, "0123456789");
    const ModelParts parts = partsOf(model("place/org/big/big-00001-of-00002.gguf"));
    QCOMPARE(parts.problem, QString());
    QCOMPARE(parts.files.size(), 3);
    QCOMPARE(parts.bytes(), 30);
    QCOMPARE(parts.freedBytes(), 30);
    const Deletion done = deleteModel(parts, Disposal::kForGood);
    QCOMPARE(done.problem, QString());
    QCOMPARE(done.bytes, 30);
    QVERIFY(!QFileInfo::exists(m_layouts->path("place/org")));
    QVERIFY(QFileInfo::exists(m_layouts->path("place")));
  }

  void otherModelsAndFilesOfTheFolder_stay() {
    for (const char* name : {"a.gguf", "b.gguf", "mmproj-a.gguf", "notes.txt"})
      m_layouts->file(QString("place/") + name, "x");
    QCOMPARE(deleteModel(partsOf(model("place/a.gguf")), Disposal::kForGood).numDeleted, 1);
    for (const char* name : {"b.gguf", "mmproj-a.gguf", "notes.txt"})
      QVERIFY(QFileInfo::exists(m_layouts->path(QString("place/") + name)));
  }

  void folderModel_keepsWhatIsNotOfTheModel() {
    for (const char* name :
         {"config.json", "model.safetensors", "README.md", "my notes.odt", "sub/model.safetensors"})
      m_layouts->file(QString("place/hf/") + name, "x");
    const ModelParts parts = partsOf(model("place/hf"));
    QCOMPARE(parts.files.size(), 3);
    QVERIFY(parts.wholeFolder.isEmpty());
    QCOMPARE(deleteModel(parts, Disposal::kForGood).problem, QString());
    QVERIFY(QFileInfo::exists(m_layouts->path("place/hf/my notes.odt")));
    QVERIFY(QFileInfo::exists(m_layouts->path("place/hf/sub/model.safetensors")));
  }

  void trash_takesAFolderAsAWhole() {
    m_layouts->file("place/hf/config.json", "{}");
    m_layouts->file("place/hf/model.safetensors", "x");
    const Deletion done = deleteModel(partsOf(model("place/hf")), Disposal::kTrash);
    if (!done.problem.isEmpty()) QSKIP("There is no trash for this folder.");
    QCOMPARE(done.numDeleted, 2);
    QVERIFY(!QFileInfo::exists(m_layouts->path("place/hf")));
  }

  void link_isNotDeleted_norWhatIsBehindOne() {
    m_layouts->file("elsewhere/a.gguf", "x");
    m_layouts->folder("place");
    m_layouts->symbolicLink(m_layouts->path("elsewhere/a.gguf"), "place/link.gguf");
    m_layouts->symbolicLink(m_layouts->path("elsewhere"), "place/folder");
    for (const char* path : {"place/link.gguf", "place/folder/a.gguf"}) {
      const ModelParts parts = partsOf(model(path));
      QVERIFY2(parts.problem.contains("link"), qPrintable(parts.problem));
      QCOMPARE(deleteModel(parts, Disposal::kForGood).numDeleted, 0);
    }
    QVERIFY(QFileInfo::exists(m_layouts->path("elsewhere/a.gguf")));
    QVERIFY(QFileInfo(m_layouts->path("place/link.gguf")).isSymLink());
  }

  void pipe_isNoFileOfAModel() {
    m_layouts->folder("place");
    const QByteArray pipe = m_layouts->path("place/a.gguf").toUtf8();
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    QVERIFY(!partsOf(model("place/a.gguf")).problem.isEmpty());
  }

  void fileThatChangedMeanwhile_stays() {
    m_layouts->file("place/a-00001-of-00002.gguf", "one");
    m_layouts->file("place/a-00002-of-00002.gguf", "two");
    const ModelParts parts = partsOf(model("place/a-00001-of-00002.gguf"));
    m_layouts->file("place/a-00002-of-00002.gguf", "another file by now");
    const Deletion done = deleteModel(parts, Disposal::kForGood);
    QVERIFY(done.problem.contains("changed meanwhile"));
    QCOMPARE(done.numDeleted, 0);
    QVERIFY(QFileInfo::exists(m_layouts->path("place/a-00001-of-00002.gguf")));
  }

  void hardLink_freesNothing() {
    m_layouts->file("place/a.gguf", "0123456789");
    m_layouts->hardLink(m_layouts->path("place/a.gguf"), "other/b.gguf");
    const ModelParts parts = partsOf(model("place/a.gguf"));
    QCOMPARE(parts.bytes(), 10);
    QCOMPARE(parts.freedBytes(), 0);
  }

  void ollama_removesTheRecordAndItsOwnBlobs() {
    const QString a = m_layouts->ollama("ollama", "one/8b", "weights of one");
    const QString b = m_layouts->ollama("ollama", "two/8b", "weights of two");
    const ModelParts parts = partsOf(
        {.path = a, .name = "one:8b", .source = "Ollama", .place = m_layouts->path("ollama")});
    QCOMPARE(parts.problem, QString());
    QVERIFY(parts.files.first().path.endsWith("/one/8b"));
    QCOMPARE(deleteModel(parts, Disposal::kForGood).problem, QString());
    QVERIFY(!QFileInfo::exists(a));
    QVERIFY(QFileInfo::exists(b));
  }

  /// They are shown to be pasted into a shell.
  void commands_nameNothingThatAShellWouldRun() {
    QCOMPARE(commandFor("ollama rm", {}, "qwen3:8b"), QString("ollama rm qwen3:8b"));
    QCOMPARE(commandFor("hf cache rm", "model/", "org/Name-1.5_b"),
             QString("hf cache rm model/org/Name-1.5_b"));
    for (const char* name : {"a;reboot", "$(reboot)", "`reboot`", "a b", "a\nreboot", "-f", "",
                             "a&", "a|b", "a>b", "~", "*"}) {
      QCOMPARE(commandFor("ollama rm", {}, name), QString("ollama rm"));
    }
  }

  void ollama_sharedBlob_isRefusedWithTheCommands() {
    const QString blob = m_layouts->ollama("ollama", "one/8b", "weights");
    m_layouts->ollama("ollama", "copy/latest", "weights");
    const ModelParts parts = partsOf(
        {.path = blob, .name = "one:8b", .source = "Ollama", .place = m_layouts->path("ollama")});
    QVERIFY2(parts.problem.contains("ollama rm one:8b") &&
                 parts.problem.contains("ollama rm copy:latest"),
             qPrintable(parts.problem));
    QCOMPARE(deleteModel(parts, Disposal::kForGood).numDeleted, 0);
    QVERIFY(QFileInfo::exists(blob));
  }

  void ollama_unreadableRecord_isAReasonToLeaveTheBlob() {
    const QString blob = m_layouts->ollama("ollama", "one/8b", "weights");
    m_layouts->file("ollama/manifests/registry.ollama.ai/library/odd/8b", "no json");
    const ModelParts parts = partsOf(
        {.path = blob, .name = "one:8b", .source = "Ollama", .place = m_layouts->path("ollama")});
    QVERIFY(parts.problem.contains("cannot be read"));
  }

  void huggingFaceCache_isRefusedWithTheCommand() {
    m_layouts->huggingFace("hub", "org/name", "model.gguf", "weights");
    const QString link = QDir(m_layouts->path("hub/models--org--name/snapshots"))
                             .entryList(QDir::Dirs | QDir::NoDotAndDotDot)
                             .value(0);
    const ModelParts parts =
        partsOf({.path = m_layouts->path("hub/models--org--name/snapshots/" + link + "/model.gguf"),
                 .name = "org/name",
                 .source = "Hugging Face",
                 .place = m_layouts->path("hub")});
    QVERIFY2(parts.problem.contains("hf cache rm model/org/name"), qPrintable(parts.problem));
    QCOMPARE(parts.files.size(), 1);
    QCOMPARE(deleteModel(parts, Disposal::kForGood).numDeleted, 0);
  }

 private:
  StoredModel model(const QString& below) const {
    return {.path = m_layouts->path(below),
            .name = "a",
            .source = {},
            .place = m_layouts->path("place")};
  }

  QTemporaryDir m_data;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
};

QTEST_GUILESS_MAIN(DeleteModelTest)
#include "tst_delete_model.moc"
