#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>

#include "app/store/backup/backups.h"
#include "app/store/conversation_store.h"
#include "app/store/data_folder.h"
#include "app/store/database.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/forged_database.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

const QDateTime kNow(QDate(2026, 11, 21), QTime(9, 0));

template <typename T>
QString errorOf(const Result<T>& result) {
  return result ? QString() : QString::fromStdString(result.error().message);
}

}  // namespace

/// Files whose pages form no trees, with endless rows and values that no page holds: reading them
/// ends in time, and a copy of them fills no disk.
class TestSharedPages : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const auto store = ConversationStore::open(path());
    QVERIFY(store);
    QVERIFY((*store)->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                                samples::emptyAnswer(3, 1, 2)));
  }

  void sharedPages_areNotCounted() {
    {
      const auto store = ConversationStore::openForReading(path());
      QVERIFY(store && makeBackup((*store)->database(), Backup::Kind::Daily, kNow));
    }
    const QString backup = listBackups(path(), /*count=*/true)[0].path;
    for (const char* index : {"chat_persona", "chat_head", "chat_folder"}) {
      test::sharePages(backup.toStdString(), index);
    }
    const double begin = test::thread_ms();
    QCOMPARE(listBackups(path(), /*count=*/true)[0].numChats, -1);
    QVERIFY(test::thread_ms() - begin < 2000.0);
  }

  void sharedPages_fillNoDisk() {
    test::sharePages(databasePath().toStdString(), "chat");
    const double begin = test::thread_ms();
    const auto made = backUpNow(path(), {}, kNow);
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::kCorruptFile);
    QVERIFY2(errorOf(made).contains(databasePath()), qPrintable(errorOf(made)));
    QVERIFY(test::thread_ms() - begin < 2000.0);
    QVERIFY(QDir(path() + "/backups").isEmpty());
  }

  void sharedPages_endTheListOfChats() {
    test::sharePages(databasePath().toStdString(), "chat");
    const double begin = test::thread_ms();
    const auto store = ConversationStore::openForReading(path());
    QVERIFY2(store, qPrintable(errorOf(store)));
    const auto chats = (*store)->chats();
    QVERIFY(!chats);
    QCOMPARE(chats.error().code, ErrorCode::kCorruptFile);
    QVERIFY(test::thread_ms() - begin < 2000.0);
  }

  /// Another connection may have taken the memory: the file is not noted as damaged.
  void muchMemory_isNoDamage() {
    const auto store = ConversationStore::openForReading(path());
    QVERIFY(store);
    Statement sort((*store)->database(),
                   "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
                   "SELECT hex(zeroblob(500000)) || i AS text FROM n ORDER BY text");
    const auto row = sort.step();
    QVERIFY(!row);
    QCOMPARE(row.error().code, ErrorCode::kOutOfMemory);
    QVERIFY(!isDamageNoted(databasePath()));
  }

  void longText_isRefusedWithoutDamage() {
    const auto store = ConversationStore::open(path());
    QVERIFY(store);
    sqlite3_limit((*store)->database().handle(), SQLITE_LIMIT_LENGTH, 10'000'000);
    Statement write((*store)->database(), "UPDATE chat SET title = ?");
    const auto done = write.bind(QString(20'000'000, 'x')).run();
    QVERIFY(!done);
    QCOMPARE(done.error().code, ErrorCode::kInvalidArgument);
    QVERIFY2(errorOf(done).contains(databasePath()), qPrintable(errorOf(done)));
    QVERIFY((*store)->chats());
  }

  void valueThatNoPageHolds_isNotRead() {
    test::overflowToItself(databasePath().toStdString(), 20'000'000);
    const auto store = ConversationStore::openForReading(path());
    QVERIFY2(store, qPrintable(errorOf(store)));
    sqlite3* const handle = (*store)->database().handle();
    QCOMPARE(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1), 512 << 20);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 10'000'000);
    const auto chats = (*store)->chats();
    QVERIFY(!chats);
    QCOMPARE(chats.error().code, ErrorCode::kCorruptFile);
    QVERIFY2(errorOf(chats).contains(databasePath()), qPrintable(errorOf(chats)));
    QVERIFY(!backUpNow(path(), {}, kNow));
    QVERIFY(QDir(path() + "/backups").isEmpty());
  }

 private:
  QString path() const { return m_folder->path(); }
  QString databasePath() const { return storePath(path()); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestSharedPages)
#include "tst_shared_pages.moc"
