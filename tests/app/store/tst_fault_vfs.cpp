#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <set>

#include "app/store/data_folder.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/fault_vfs.h"

using namespace quire;

namespace {

using Kind = Operation::Kind;

std::string contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return "(missing)";
  return file.readAll().toStdString();
}

}  // namespace

/// The tests' own file system: what it loses, keeps and fails.
class TestFaultVfs : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_log = std::make_unique<DiskLog>(m_folder->path().toStdString());
  }

  void unsyncedWrite_isKeptLostOrTorn() {
    const std::string before(2048, 'a');
    const std::string after(2048, 'b');
    m_log->noteOpened(in("file"));
    m_log->noteSync(m_folder->path().toStdString());
    m_log->noteWrite(in("file"), 0, before);
    m_log->noteSync(in("file"));
    m_log->noteWrite(in("file"), 0, after);
    const auto seen = contents("file");
    QVERIFY(seen.contains(before) && seen.contains(after));
    QVERIFY2(seen.size() > 2, "it is never torn");
    for (const std::string& content : seen) {
      for (size_t sector = 0; sector < content.size(); sector += 512) {
        QCOMPARE(content.substr(sector, 512), std::string(512, content[sector]));
      }
    }
    noteSynced("file");
    QCOMPARE(contents("file"), std::set<std::string>{after});
  }

  void unsyncedWrites_areReordered() {
    m_log->noteOpened(in("file"));
    m_log->noteSync(m_folder->path().toStdString());
    m_log->noteWrite(in("file"), 0, "first");
    m_log->noteWrite(in("file"), 5, "second");
    QVERIFY(contents("file").contains(std::string(5, '\0') + "second"));
  }

  void failedSync_isNotMadeUpForByTheNext() {
    m_log->noteOpened(in("file"));
    m_log->noteSync(m_folder->path().toStdString());
    m_log->noteWrite(in("file"), 0, "lost");
    m_log->noteSync(in("file"), /*succeeded=*/false);
    m_log->noteSync(in("file"));
    QVERIFY(contents("file").contains(""));
    m_log->noteWrite(in("file"), 0, "again");
    m_log->noteSync(in("file"));
    QCOMPARE(contents("file"), std::set<std::string>{"again"});
  }

  void name_needsASyncOfItsFolder() {
    m_log->noteOpened(in("file"));
    m_log->noteWrite(in("file"), 0, "x");
    m_log->noteSync(in("file"));
    QVERIFY(contents("file").contains("(missing)"));
    m_log->noteSync(m_folder->path().toStdString());
    QCOMPARE(contents("file"), std::set<std::string>{"x"});
    m_log->noteRename(in("file"), in("other"));
    QCOMPARE(contents("file"), (std::set<std::string>{"x", "(missing)"}));
    m_log->noteSync(m_folder->path().toStdString());
    QCOMPARE(contents("other"), std::set<std::string>{"x"});
  }

  void callsOfSqliteQtAndTheLibrary_areRecorded() {
    const FaultVfs vfs(m_folder->path().toStdString());
    const QString folder = m_folder->path() + "/data";
    QVERIFY(ensureDataFolder(folder));
    {
      const auto database = samples::openAnyFile(folder + "/a.db");
      QVERIFY(
          database->exec("PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t "
                         "VALUES (1)"));
    }
    QVERIFY(replaceDurably(folder + "/a.db", folder + "/b.db"));
    QVERIFY(QFile::remove(folder + "/b.db"));
    std::set<Kind> kinds;
    for (const Operation& operation : FaultVfs::current()->log().recorded()) {
      kinds.insert(operation.kind);
    }
    for (const Kind kind : {Kind::kCreate, Kind::kMakeFolder, Kind::kRename, Kind::kRemove,
                            Kind::kWrite, Kind::kSync, Kind::kSyncFolder}) {
      QVERIFY2(kinds.contains(kind), std::to_string(static_cast<int>(kind)).c_str());
    }
  }

  /// What is not on the disk is not reported as if it were.
  void failedCall_isReportedByReplaceDurably_data() {
    QTest::addColumn<FaultVfs::Fault>("fault");
    QTest::addColumn<int>("calls");
    QTest::newRow("EIO") << FaultVfs::Fault::kIoError << 3;  // The renaming between two syncs.
    QTest::newRow("fsync") << FaultVfs::Fault::kSyncFails << 2;
  }
  void failedCall_isReportedByReplaceDurably() {
    QFETCH(FaultVfs::Fault, fault);
    QFETCH(int, calls);
    FaultVfs vfs(m_folder->path().toStdString());
    const QString folder = m_folder->path() + "/data";  // The root's own calls do not count.
    QVERIFY(QDir().mkpath(folder));
    const QString from = folder + "/from", to = folder + "/to";
    for (int n = 0; n <= calls; ++n) {
      QFile file(from);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.close();
      vfs.failCall(n, fault);
      QCOMPARE(replaceDurably(from, to), n == 0);
      QCOMPARE(vfs.hasFailed(), n != 0);
      if (n == 0) QCOMPARE(vfs.numCalls(), calls);
    }
  }

  /// SQLite opens, removes and locks files too, and the program removes them without it.
  void everyKindOfCall_fails() {
    FaultVfs vfs(m_folder->path().toStdString());
    const QString path = m_folder->path() + "/a.db";
    const auto errorOf = [](int, const std::string& why) { return Error{ErrorCode::kIo, why}; };
    samples::openAnyFile(path);
    vfs.failCall(1, FaultVfs::Fault::kIoError);
    QVERIFY(!Database::open(path.toStdU16String(), {.errorOf = errorOf}));
    QVERIFY(vfs.hasFailed());
    const auto database = samples::openAnyFile(path);
    QVERIFY(database->exec("PRAGMA journal_mode=WAL; CREATE TABLE t (x)"));
    vfs.failCall(1, FaultVfs::Fault::kIoError);  // The lock of a reader comes first.
    QVERIFY(!database->number("SELECT count(*) FROM t"));
    QVERIFY(vfs.hasFailed());
    vfs.failCall(1, FaultVfs::Fault::kIoError);
    QVERIFY(!QFile::remove(path));
    QVERIFY(vfs.hasFailed() && QFile::exists(path));
  }

  void nthCall_fails_data() {
    QTest::addColumn<FaultVfs::Fault>("fault");
    QTest::addColumn<int>("code");
    QTest::newRow("EIO") << FaultVfs::Fault::kIoError << SQLITE_IOERR;
    QTest::newRow("ENOSPC") << FaultVfs::Fault::kFull << SQLITE_FULL;
    QTest::newRow("fsync") << FaultVfs::Fault::kSyncFails << SQLITE_IOERR;
  }

  void nthCall_fails() {
    QFETCH(FaultVfs::Fault, fault);
    QFETCH(int, code);
    FaultVfs vfs(m_folder->path().toStdString());
    const auto database = samples::openAnyFile(m_folder->path() + "/a.db");
    QVERIFY(database->exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (x)"));
    vfs.failCall(1, fault);
    QVERIFY(!database->exec("INSERT INTO t VALUES (1)"));
    QCOMPARE(sqlite3_errcode(database->handle()) & 0xff, code);
    QVERIFY(vfs.hasFailed());
    QVERIFY(database->exec("INSERT INTO t VALUES (2)"));  // Only that call.
    QCOMPARE(database->number("SELECT sum(x) FROM t").value(), 2);
  }

 private:
  std::string in(const char* name) const { return m_folder->path().toStdString() + "/" + name; }
  void noteSynced(const char* name) { m_log->noteSync(in(name)); }

  /// What the file holds after a cut now, over many seeds.
  std::set<std::string> contents(const char* name) const {
    std::set<std::string> seen;
    for (uint32_t seed = 0; seed < 100; ++seed) {
      const QTemporaryDir disk;
      m_log->writeDisk(m_log->size(), seed, disk.path().toStdString());
      seen.insert(contentOf(disk.path() + "/" + name));
    }
    return seen;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<DiskLog> m_log;
};

QTEST_GUILESS_MAIN(TestFaultVfs)
#include "tst_fault_vfs.moc"
