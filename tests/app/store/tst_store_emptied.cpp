#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "app/store/backup/backups.h"
#include "app/store/database.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/app/store/transfer_place.h"

using namespace quire;

namespace {

const QDateTime kNow(QDate(2026, 11, 21), QTime(9, 0));

}  // namespace

/// What is left of a store after a fault of its disk, or of a program that copied it, and the
/// backups and lists that must outlive it.
class TestStoreEmptied : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(open()->putChat(samples::chat(1)));
  }

  void emptiedStore_isNoNewOne_ifItHasBackups() {
    QVERIFY(QFile::resize(database(), 0));
    QVERIFY2(open()->chats().value().isEmpty(), "one that was never filled");
    QVERIFY(open()->putChat(samples::chat(2)));
    const auto backup = backUpDaily(path(), {}, kNow);
    QVERIFY(backup && *backup);
    QVERIFY(QFile::resize(database(), 0));
    checkRefused({"is empty", database()});
    QCOMPARE(QFileInfo(database()).size(), 0);
    QVERIFY(restoreBackup(path(), **backup));
    QCOMPARE(open()->chats().value().value(0).id, RecordId(2));
  }

  void emptiedStore_canBeMovedAway() {
    QVERIFY(*backUpDaily(path(), {}, kNow));
    QVERIFY(QFile::resize(database(), 0));
    QVERIFY(startAfresh(path()));
    QVERIFY(QFile(database()).open(QIODevice::WriteOnly));  // A kill cut off the new one.
    QVERIFY(open()->putChat(samples::chat(2)));
    // Once that has a backup, it must not be lost either.
    QVERIFY(*backUpDaily(path(), {}, QDateTime::currentDateTime().addDays(1)));
    QVERIFY(QFile::resize(database(), 0));
    checkRefused({"is empty"});
  }

  void logWithoutItsDatabase_isKept_data() {
    QTest::addColumn<bool>("isMissing");
    QTest::addColumn<bool>("isLink");
    QTest::newRow("missing") << true << false;
    QTest::newRow("empty") << false << false;
    QTest::newRow("empty, by a link") << false << true;
  }
  /// SQLite deletes such a log as soon as anyone reads.
  void logWithoutItsDatabase_isKept() {
    QFETCH(bool, isMissing);
    QFETCH(bool, isLink);
    leaveLog();
    const QTemporaryDir elsewhere;
    const QString store = isLink ? elsewhere.filePath("chats.db") : database();
    if (isLink) {
      for (const char* end : {"", "-wal"}) QVERIFY(QFile::rename(database() + end, store + end));
      QVERIFY(QFile::link(store, database()));
    }
    const QString logOfStore = store + "-wal";
    const qint64 logBytes = QFileInfo(logOfStore).size();
    QVERIFY(logBytes > 0);
    QVERIFY(QFile::copy(store, path() + "/mine.db"));
    QVERIFY(isMissing ? QFile::remove(store) : QFile::resize(store, 0));
    checkRefused({logOfStore, "Put the database back"});
    QVERIFY(!openStoreForReading(path()));
    QCOMPARE(QFileInfo(logOfStore).size(), logBytes);
    QFile::remove(store);
    QVERIFY(QFile::rename(path() + "/mine.db", store));
    QCOMPARE(open()->chats().value().size(), 2);
  }

  /// Else the rescue would end where it began.
  void logWithoutItsDatabase_canBeMovedAway() {
    leaveLog();
    const qint64 logBytes = QFileInfo(log()).size();
    QVERIFY(QFile::remove(database()));
    const auto aside = startAfresh(path());
    QVERIFY2(aside && !aside->isEmpty(), qPrintable(errorOf(aside)));
    QCOMPARE(QFileInfo(*aside + "-wal").size(), logBytes);
    QVERIFY(open()->chats().value().isEmpty());
    QVERIFY2(open()->chats().value().isEmpty(), "the next start took the log back");
  }

  /// A restore that was killed between the log and the store; then a terminal read the store.
  void interruptedMove_bringsTheLogBack_alsoAfterAReader() {
    leaveLog();
    namespace fs = std::filesystem;
    const fs::path store = database().toStdString();
    fs::last_write_time(log().toStdString(), fs::last_write_time(store));
    QVERIFY(QFile::rename(log(), path() + "/quire-kept-20260102-030405-678.db-wal"));
    QFile::remove(database() + "-shm");
    QCOMPARE(ConversationStore::openForReading(path()).value()->chats().value().size(), 1);
    QVERIFY(QFile::exists(log()) && QFileInfo(log()).size() == 0);
    QCOMPARE(open()->chats().value().size(), 2);
  }

  /// SQLite would write the log into the older store, which is of other chats.
  void interruptedMove_bringsNoOlderStoreToALogWithoutItsDatabase() {
    const auto older = startAfresh(path());
    QVERIFY(older && QFile::exists(*older));
    leaveLog();
    const qint64 logBytes = QFileInfo(log()).size();
    QVERIFY(QFile::remove(database()));
    const QString copy = path() + "/quire-restoring.part";
    QVERIFY(QFile(copy).open(QIODevice::WriteOnly));  // A kill before the log was moved.
    checkRefused({log(), "Put the database back"});
    QCOMPARE(QFileInfo(log()).size(), logBytes);
    QVERIFY(QFile::exists(*older));
    QVERIFY(!QFile::exists(copy));
  }

  void interruptedWayBack_goesOn() {
    leaveLog();
    const auto aside = startAfresh(path());
    QVERIFY(aside && QFile::rename(*aside + "-wal", log()));
    QVERIFY(QFile(path() + "/quire-restoring.part").open(QIODevice::WriteOnly));
    QCOMPARE(open()->chats().value().size(), 2);
  }

  void smallStore_keepsTheBackupsOfTheLargeOneBeforeIt() {
    const BackupPolicy policy{.maxBytes = 300'000};
    ChatRecord large = samples::chat(1);
    large.draft = QString(1'000'000, 'x');
    QVERIFY(open()->putChat(large));
    for (int day = 0; day < 3; ++day) QVERIFY(*backUpDaily(path(), policy, kNow.addDays(day)));
    QCOMPARE(listBackups(path(), false).size(), 3);
    QVERIFY(startAfresh(path()));
    QVERIFY(open()->putChat(samples::chat(2)));
    QVERIFY(*backUpDaily(path(), policy, kNow.addDays(3)));
    // As many as large ones fit, and the small one.
    const auto backups = listBackups(path(), false);
    QCOMPARE(backups.size(), 3);
    QVERIFY(backups[1].bytes > 1'000'000 && backups[2].bytes > 1'000'000);
  }

  /// As by a clock that was set back.
  void backupsOfOneSecond_areTwo() {
    const auto store = open();
    QVERIFY(store->putChat(samples::chat(2)));
    const auto first = makeBackup(store->database(), Backup::Kind::Asked, kNow);
    QVERIFY(store->removeChat(2));
    const auto second = makeBackup(store->database(), Backup::Kind::Asked, kNow);
    QVERIFY(first && second && *first != *second);
    const auto backups = listBackups(path(), /*count=*/true);
    QCOMPARE(backups.size(), 2);
    QCOMPARE(backups[0].numChats + backups[1].numChats, 3);
  }

  /// A forged store, or one of long ago, names as many as are read.
  void listOfAnotherStore_pushesOutNoneOfOurs() {
    Place from, to;
    QList<ErasedChat> others;
    for (int i = 1; i <= 100'000; ++i) others.append({i, 17});
    QVERIFY(from.store->putSetting("backups.erasing", erasedChatsText(others)));
    const QList<ErasedChat> ours = {{7, 1'700'000'000'000}, {8, 1'700'000'000'001}};
    QVERIFY(to.store->putSetting("backups.erasing", erasedChatsText(ours)));
    IdSource ids(1000);
    QVERIFY(mergeStore(to.path(), storePath(from.path()), ids, goOn));
    const auto noted = erasedChats(to.store->setting("backups.erasing").value().value());
    QCOMPARE(noted.size(), 100'000);
    QCOMPARE(noted.mid(noted.size() - 2), ours);
  }

  /// Not one that is damaged, or that ends.
  void fileThatCannotBeReadOn_isSaid() {
    const QString file = QStringLiteral("/proc/self/mem");  // Reading it at 0 is an error.
    if (!QFile(file).open(QIODevice::ReadOnly)) QSKIP("The system has no such file.");
    Place to;
    IdSource ids(0);
    for (const auto& imported :
         {importJson(to.path(), file, ids, goOn), importMarkdown(to.path(), file, ids, goOn)}) {
      QVERIFY(!imported);
      QCOMPARE(imported.error().code, ErrorCode::kIo);
      const QString sentence = errorOf(imported);
      QVERIFY2(sentence.contains(file) && sentence.contains("Input/output error"),
               qPrintable(sentence));
    }
  }

 private:
  QString path() const { return m_folder->path(); }
  QString database() const { return path() + "/quire.db"; }
  QString log() const { return database() + "-wal"; }

  std::unique_ptr<ConversationStore> open() const {
    auto opened = ConversationStore::open(path());
    if (!opened) qFatal("%s", opened.error().message.c_str());
    return std::move(*opened);
  }

  void checkRefused(const QStringList& words) const {
    const auto opened = ConversationStore::open(path());
    QVERIFY2(!opened, "a new store was made");
    QCOMPARE(opened.error().code, ErrorCode::kCorruptFile);
    for (const QString& word : words) {
      QVERIFY2(errorOf(opened).contains(word), qPrintable(errorOf(opened)));
    }
  }

  /// Chat 2 is in the log alone, as after a kill.
  void leaveLog() const {
    const QTemporaryDir killed;
    {
      const auto store = open();
      QVERIFY(store->putChat(samples::chat(2)));
      for (const char* end : {"", "-wal"}) {
        QVERIFY(QFile::copy(database() + end, killed.filePath(QStringLiteral("db") + end)));
      }
    }
    for (const char* end : {"", "-wal"}) {
      QFile::remove(database() + end);
      QVERIFY(QFile::copy(killed.filePath(QStringLiteral("db") + end), database() + end));
    }
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestStoreEmptied)
#include "tst_store_emptied.moc"
