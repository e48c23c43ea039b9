#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/files/verify_model.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;
using Verdict = Verification::Verdict;

/// The hashes that are known, and what differs from them.
class VerifyModelTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(QFileInfo(m_folder->path()).canonicalFilePath());
  }

  void ollamasDigest_isCompared() {
    const QString blob = m_layouts->ollama("ollama", "a/8b", "weights");
    QCOMPARE(verify(blob).verdict, Verdict::kVerified);
    QCOMPARE(verify(blob).origin, QString("Ollama"));
    QFile file(blob);
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.write("WEIGHTS");
    file.close();
    QCOMPARE(verify(blob).verdict, Verdict::kDiffers);
  }

  void recordOfADownload_isCompared() {
    m_layouts->file("models/org/a/a.gguf", "weights");
    record("models/org/.quire-hashes/a.json", true, "a.gguf", "weights");
    QCOMPARE(verify(path("models/org/a/a.gguf")).verdict, Verdict::kVerified);
    record("models/org/.quire-hashes/a.json", true, "a.gguf", "other weights");
    QCOMPARE(verify(path("models/org/a/a.gguf")).verdict, Verdict::kDiffers);
    QCOMPARE(verify(path("models/org/a/a.gguf")).file, QString("a.gguf"));
  }

  void recordOfASingleFile_isFoundBesideIt() {
    m_layouts->file("models/b.gguf", "weights");
    record("models/.quire-hashes/b.gguf.json", false, "b.gguf", "weights");
    QCOMPARE(verify(path("models/b.gguf")).verdict, Verdict::kVerified);
  }

  void recordThatNamesOtherFiles_isIgnored() {
    m_layouts->file("models/org/a/a.gguf", "weights");
    m_layouts->file("secret.gguf", "weights");
    record("models/org/.quire-hashes/a.json", true, "../../../secret.gguf", "weights");
    QCOMPARE(verify(path("models/org/a/a.gguf")).verdict, Verdict::kUnknown);
  }

  void partWithoutAHash_isUnknown() {
    m_layouts->file("models/org/a/a-00001-of-00002.gguf", "weights");
    m_layouts->file("models/org/a/a-00002-of-00002.gguf", "weights");
    record("models/org/.quire-hashes/a.json", true, "a-00001-of-00002.gguf", "weights");
    const auto result = verify(path("models/org/a/a-00001-of-00002.gguf"));
    QCOMPARE(result.verdict, Verdict::kUnknown);
    QCOMPARE(result.file, QString("a-00002-of-00002.gguf"));
  }

  void blobOfTheHuggingFaceLibraries_isNamedByItsHash() {
    const QByteArray digits =
        QCryptographicHash::hash("weights", QCryptographicHash::Sha256).toHex();
    const QString root = "hub/models--org--name";
    m_layouts->file(root + "/blobs/" + digits, "weights");
    m_layouts->folder(root + "/snapshots/main");
    m_layouts->symbolicLink(path(root + "/blobs/" + digits), root + "/snapshots/main/a.gguf");
    QCOMPARE(verify(path(root + "/snapshots/main/a.gguf")).verdict, Verdict::kVerified);
  }

  void noHash_isUnknown() {
    m_layouts->file("a.gguf", "weights");
    QCOMPARE(verify(path("a.gguf")).verdict, Verdict::kUnknown);
  }

 private:
  QString path(const QString& below) const { return m_layouts->path(below); }

  Verification verify(const QString& model) const {
    HashCache cache{QString()};
    return verifyModel(model, partsOf({.path = model}), cache, {}, {});
  }

  void record(const QString& at, bool isFolder, const QString& file, const QByteArray& content) {
    const QJsonObject entry = {
        {"path", file},
        {"kind", "sha256"},
        {"hash", QString::fromLatin1(
                     QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex())}};
    const QJsonObject root = {{"version", 1},
                              {"source", "Hugging Face · org/a"},
                              {"is_folder", isFolder},
                              {"files", QJsonArray{entry}}};
    m_layouts->file(at, QJsonDocument(root).toJson());
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
};

QTEST_GUILESS_MAIN(VerifyModelTest)
#include "tst_verify_model.moc"
