#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "app/store/database.h"
#include "app/store/store_writer.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"

using namespace quire;

namespace {

/// Makes the open handles of these files of this process useless, as those of a disk that was
/// removed are; the files themselves stay. Returns their number.
int killHandlesOf(const QStringList& files) {
  const int dead = ::open("/", O_PATH | O_CLOEXEC);  // Neither readable nor writable.
  int numKilled = 0;
  for (const QFileInfo& entry : QDir("/proc/self/fd").entryInfoList(QDir::Files | QDir::System)) {
    if (!files.contains(entry.symLinkTarget())) continue;
    if (::dup2(dead, entry.fileName().toInt()) >= 0) ++numKilled;
  }
  ::close(dead);
  return numKilled;
}

/// While it lives, the files that replace databases have their numbers, as on another disk.
class EqualFileNumbers {
 public:
  EqualFileNumbers() {
    m_base = sqlite3_vfs_find(nullptr);
    m_vfs = *m_base;
    m_vfs.zName = "equal-file-numbers";
    m_vfs.xOpen = &EqualFileNumbers::open;
    sqlite3_vfs_register(&m_vfs, /*makeDflt=*/1);
  }
  ~EqualFileNumbers() { sqlite3_vfs_unregister(&m_vfs); }
  EqualFileNumbers(const EqualFileNumbers&) = delete;
  EqualFileNumbers& operator=(const EqualFileNumbers&) = delete;

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
    const int code = m_base->xOpen(m_base, name, file, flags, opened);
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
    m_baseMethods = file->pMethods;
    m_methods = *m_baseMethods;
    m_methods.xFileControl = &EqualFileNumbers::control;
    file->pMethods = &m_methods;
    return code;
  }
  static int control(sqlite3_file* file, int operation, void* argument) {
    if (operation != SQLITE_FCNTL_HAS_MOVED) {
      return m_baseMethods->xFileControl(file, operation, argument);
    }
    *static_cast<int*>(argument) = 0;
    return SQLITE_OK;
  }

  // Static, because connections may be closed later.
  inline static sqlite3_vfs* m_base = nullptr;
  inline static sqlite3_vfs m_vfs{};
  inline static const sqlite3_io_methods* m_baseMethods = nullptr;
  inline static sqlite3_io_methods m_methods{};
};

}  // namespace

/// The store is moved, deleted or replaced while it is in use, or its disk is removed. SQLite goes
/// on writing to the file that it has open, whatever became of its name.
class TestStoreGone : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_root = std::make_unique<QTemporaryDir>();
    QVERIFY(ConversationStore::open(folder()));
    startWriter();
    m_writer->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                        samples::emptyAnswer(3, 1, 2));
    QTRY_COMPARE(m_committed->size(), 1);
  }
  void cleanup() { m_writer.reset(); }

  void deletedStore_takesNothingMore() {
    QVERIFY(QFile::remove(storePath(folder())));
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    checkPause();
    m_writer->beginTurn(samples::chat(4, 6), samples::question(5, 4),
                        samples::emptyAnswer(6, 4, 5));
    QTRY_COMPARE(m_failed->size(), 1);
    QCOMPARE(m_failed->first()[1], m_paused->first()[0]);
    QCOMPARE(m_committed->size(), 1);
    QCOMPARE(m_writer->unsaved().messages, 1);
    QVERIFY2(!QFile::exists(storePath(folder())), "a new store was made");
  }

  void movedFolder_getsTheRest_onceItIsBack() {
    const QString elsewhere = m_root->filePath("elsewhere");
    QVERIFY(QDir().rename(folder(), elsewhere));
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    checkPause();
    QVERIFY(!m_writer->flush(20'000));
    QVERIFY2(!QFile::exists(folder()), "a new store was made");
    QVERIFY(QDir().rename(elsewhere, folder()));
    checkAnswerComes();
  }

  /// Such as by a program that synchronises folders.
  void otherStoreAtItsPlace_isLeftAlone() {
    const QString elsewhere = m_root->filePath("elsewhere");
    QVERIFY(QDir().rename(folder(), elsewhere));
    {
      const auto other = ConversationStore::open(folder());
      QVERIFY(other && (*other)->putChat(samples::chat(70)));
    }
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    m_writer->putSetting("theme", "dark");
    checkPause();
    QVERIFY(!m_writer->flush(20'000));
    QCOMPARE(m_committed->size(), 1);
    {
      const auto other = ConversationStore::openForReading(folder());
      QVERIFY(other && (*other)->chats().value().size() == 1);
      QVERIFY(!(*other)->setting("theme").value());
    }
    QVERIFY(QDir(folder()).removeRecursively());
    QVERIFY(QDir().rename(elsewhere, folder()));
    checkAnswerComes();
  }

  void diskThatWasAway_getsTheRest() {
    const QString path = storePath(folder());
    QVERIFY(killHandlesOf({path, path + "-wal"}) >= 2);
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    QTRY_COMPARE(m_paused->size(), 1);
    const QString sentence = m_paused->first()[0].toString();
    QVERIFY2(sentence.contains(path) && sentence.contains("Check its disk"), qPrintable(sentence));
    checkAnswerComes();
  }

  /// On closing the file of the disk before, SQLite would delete the log at its path.
  void logOfADiskWithEqualFileNumbers_isLeftAlone() {
    m_writer.reset();
    const EqualFileNumbers disk;
    startWriter();
    m_writer->putChat(samples::chat(8));
    QTRY_VERIFY(m_writer->flush(1000));
    const QString elsewhere = m_root->filePath("elsewhere");
    QVERIFY(QDir().mkpath(elsewhere));
    for (const char* name : {"/quire.db", "/quire.db-wal"}) {
      QVERIFY(QFile::copy(folder() + name, elsewhere + name));
    }
    QVERIFY((*openStore(folder()))->exec("PRAGMA wal_checkpoint(PASSIVE)"));
    QVERIFY(QDir().rename(folder(), m_root->filePath("before")));
    QVERIFY(QDir().rename(elsewhere, folder()));
    QVERIFY(killHandlesOf({m_root->filePath("before/quire.db-wal")}) >= 1);
    m_committed->clear();
    m_writer->putChat(samples::chat(9));
    m_writer->finishAnswer(samples::finishedAnswer(3, 1, 2));
    QTRY_COMPARE(m_paused->size(), 1);
    QTRY_VERIFY(m_writer->flush(1000));
    QVERIFY2(QFile::exists(storePath(folder()) + "-wal"), "the log was deleted");
    checkAnswerComes();
  }

  void removedChat_leavesTheLogOfADiskThatWasAway() {
    const QString path = storePath(folder());
    const auto reader = *openStoreForReading(folder());
    QVERIFY(reader->exec("BEGIN"));
    QVERIFY(reader->number("SELECT count(*) FROM chat").value() > 0);
    m_writer->removeChat(1);
    QTest::qWait(600);  // Until it is idle.
    QVERIFY(QFileInfo(path + "-wal").size() > 0);
    QVERIFY(killHandlesOf({path, path + "-wal"}) >= 2);
    QVERIFY(reader->exec("COMMIT"));
    m_writer->putSetting("theme", "dark");
    QTRY_COMPARE(m_paused->size(), 1);
    QTRY_VERIFY(m_writer->flush(1000));
    QTRY_COMPARE(QFileInfo(path + "-wal").size(), 0);
  }

  void import_makesNoStoreInPlaceOfOneThatIsGone() {
    Place from;
    const QString file = exportOf(from, 1);
    m_writer.reset();
    QVERIFY(QFile::remove(storePath(folder())));
    IdSource ids(100);
    const auto imported = importJson(folder(), file, ids, goOn);
    QVERIFY(!imported);
    QVERIFY2(errorOf(imported).contains(folder()), qPrintable(errorOf(imported)));
    QVERIFY(!mergeStore(folder(), storePath(from.path()), ids, goOn));
    QVERIFY(!QFile::exists(storePath(folder())));
  }

  void import_endsWhenTheStoreGoes() {
    Place from;
    const QString file = exportOf(from, 5);
    IdSource ids(100);
    // In the second half the chats come in.
    const auto removeIt = [&](qint64 done, qint64 total) {
      if (done > total / 2) QFile::remove(storePath(folder()));
      return true;
    };
    const auto imported = importJson(folder(), file, ids, removeIt);
    QVERIFY2(!imported, "chats that are nowhere were said to be added");
    QCOMPARE(imported.error().code, ErrorCode::kIo);
    QVERIFY2(errorOf(imported).contains("not there any more"), qPrintable(errorOf(imported)));
  }

 private:
  QString folder() const { return m_root->filePath("data"); }

  void startWriter() {
    m_writer = std::make_unique<StoreWriter>(folder());
    m_committed = std::make_unique<QSignalSpy>(m_writer.get(), &StoreWriter::committed);
    m_failed = std::make_unique<QSignalSpy>(m_writer.get(), &StoreWriter::failed);
    m_paused = std::make_unique<QSignalSpy>(m_writer.get(), &StoreWriter::paused);
  }

  static QString exportOf(Place& place, int numChats) {
    for (int i = 1; i <= numChats; ++i) {
      const auto put = place.store->putChat(samples::chat(i));
      if (!put) qFatal("%s", put.error().message.c_str());
    }
    const QString file = place.path() + "/all.json";
    const auto exported = exportJson(place.path(), {}, file, goOn);
    if (!exported) qFatal("%s", exported.error().message.c_str());
    return file;
  }

  void checkPause() const {
    QTRY_COMPARE(m_paused->size(), 1);
    const QString sentence = m_paused->first()[0].toString();
    QVERIFY2(sentence.contains(storePath(folder())) && sentence.contains("not there any more"),
             qPrintable(sentence));
    QCOMPARE(m_committed->size(), 1);
  }

  /// Nothing that was queued is lost, and it is in the store.
  void checkAnswerComes() const {
    QTRY_VERIFY(m_writer->flush(1000));
    QTRY_VERIFY(m_committed->size() > 1);
    QVERIFY(m_failed->isEmpty());
    const auto store = ConversationStore::openForReading(folder());
    QVERIFY2(store, qPrintable(errorOf(store)));
    QCOMPARE((*store)->messages(1).value()[1].text(), samples::finishedAnswer(3, 1, 2).text());
    QCOMPARE((*store)->integrityCheck().value(), QString());
  }

  std::unique_ptr<QTemporaryDir> m_root;
  std::unique_ptr<StoreWriter> m_writer;
  std::unique_ptr<QSignalSpy> m_committed;
  std::unique_ptr<QSignalSpy> m_failed;
  std::unique_ptr<QSignalSpy> m_paused;
};

QTEST_GUILESS_MAIN(TestStoreGone)
#include "tst_store_gone.moc"
