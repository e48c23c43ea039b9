#include <fcntl.h>
#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "app/cli/tried_models.h"

using quire::TriedModels;

namespace {

void write(const QString& path, const QByteArray& content) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("write");
}

std::string native(const QString& path) {
  return path.toStdString();
}

/// Gives a file back the times that it had.
void restore_times(const QString& path, const struct stat& status) {
  const timespec times[] = {status.st_atim, status.st_mtim};
  if (utimensat(AT_FDCWD, native(path).c_str(), times, 0) != 0) qFatal("utimensat");
}

}  // namespace

class TestTriedModels : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  QString in(const QString& name) const { return m_folder.filePath(name); }

 private slots:
  void changedFile_isAnotherModel() {
    write(in("a.gguf"), "one");
    const std::string before = TriedModels::identity(native(in("a.gguf")));
    QCOMPARE(before.size(), 64u);
    QCOMPARE(TriedModels::identity(native(in("a.gguf"))), before);
    struct stat status = {};
    QCOMPARE(stat(native(in("a.gguf")).c_str(), &status), 0);
    QTest::qWait(20);  // The file system's clock ticks every 4 ms.
    write(in("a.gguf"), "two");
    restore_times(in("a.gguf"), status);
    QVERIFY(TriedModels::identity(native(in("a.gguf"))) != before);
  }

  void folderAndSet_areTheirFiles() {
    for (const QString& path : {in("folder"), in("set")}) QVERIFY(QDir().mkpath(path));
    write(in("set/m-00001-of-00002.gguf"), "1");
    for (const QString& model : {in("folder"), in("set/m-00001-of-00002.gguf")}) {
      const std::string before = TriedModels::identity(native(model));
      QVERIFY(!before.empty());
      write(QFileInfo(model).isDir() ? model + "/config.json" : in("set/m-00002-of-00002.gguf"),
            "{}");
      QVERIFY(TriedModels::identity(native(model)) != before);
    }
  }

  void missingFile_isNeverKnown() {
    const TriedModels tried(native(in("cache/none")));
    QCOMPARE(TriedModels::identity(native(in("missing"))), std::string());
    tried.add({});
    QVERIFY(!tried.contains({}));
    QVERIFY(!QFile::exists(in("cache/none")));
  }

  void added_areKnown_theLast256() {
    const TriedModels tried(native(in("cache/tried")));
    const auto digest = [](int i) {
      return QByteArray::number(i).rightJustified(64, '0').toStdString();
    };
    for (int i = 0; i < 300; ++i) tried.add(digest(i));
    for (int i = 0; i < 300; ++i) QCOMPARE(tried.contains(digest(i)), i >= 300 - 256);
    QCOMPARE(QDir(in("cache")).entryList(QDir::Files), QStringList("tried"));
  }

  void fileThatOthersMayWrite_isNotBelieved() {
    const TriedModels tried(native(in("open")));
    const std::string digest(64, 'a');
    tried.add(digest);
    QVERIFY(tried.contains(digest));
    QVERIFY(
        QFile(in("open")).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther));
    QVERIFY(!tried.contains(digest));
    QVERIFY(QFile::link(in("open"), in("link")));
    QVERIFY(!TriedModels(native(in("link"))).contains(digest));
    tried.add(digest);  // In a new file.
    QVERIFY(tried.contains(digest));
  }

  void damagedFile_isForgotten() {
    write(in("damaged"), QByteArray(100, '\n'));
    const TriedModels tried(native(in("damaged")));
    QVERIFY(!tried.contains(std::string(64, 'b')));
    tried.add(std::string(64, 'b'));
    QVERIFY(tried.contains(std::string(64, 'b')));
  }
};

QTEST_APPLESS_MAIN(TestTriedModels)
#include "tst_tried_models.moc"
