#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/hub/download_record.h"
#include "app/models/files/hash_record.h"

using namespace quire;

/// The hashes of a download, as those who verify the model later read them.
class DownloadRecordTest : public QObject {
  Q_OBJECT

 private slots:
  void hashes_areReadAgain_data() {
    QTest::addColumn<bool>("isFolder");
    QTest::newRow("file") << false;
    QTest::newRow("folder") << true;
  }
  void hashes_areReadAgain() {
    QFETCH(bool, isFolder);
    const QTemporaryDir folder;
    const QByteArray sha256 =
        QCryptographicHash::hash("weights", QCryptographicHash::Sha256).toHex();
    DownloadPlan plan{.title = "org/repo",
                      .source = "Hugging Face org/repo",
                      .page = {},
                      .folder = folder.path(),
                      .target = isFolder ? "org/repo" : "org/repo/m.gguf",
                      .isFolder = isFolder};
    plan.files = {
        {.path = "m.gguf", .url = {}, .bytes = 7, .hash = {FileHash::Kind::kSha256, sha256}}};
    QVERIFY(QDir(folder.path()).mkpath("org/repo"));
    const QString model = folder.path() + "/org/repo/m.gguf";
    QFile file(model);
    QVERIFY(file.open(QIODevice::WriteOnly));
    keepHashes(plan);
    const QList<ExpectedHash> hashes = expectedHashes(model, {model});
    QCOMPARE(hashes.size(), 1);
    QCOMPARE(hashes[0].hex, sha256);
    QCOMPARE(hashes[0].kind, ExpectedHash::Kind::kSha256);
  }

  void folderThatCannotBeWritten_isNoFailure() {
    keepHashes({.title = "x", .source = "x", .page = {}, .folder = "/proc", .target = "a/b"});
  }
};

QTEST_GUILESS_MAIN(DownloadRecordTest)
#include "tst_download_record.moc"
