#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>

#include <filesystem>

#include "app/store/backup/backups.h"
#include "app/store/conversation_store.h"
#include "app/store/data_folder.h"
#include "app/store/database.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/forged_database.h"
#include "tests/support/forged_log.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

const QDateTime kNow(QDate(2026, 11, 21), QTime(9, 0));

template <typename T>
QString errorOf(const Result<T>& result) {
  return result ? QString() : QString::fromStdString(result.error().message);
}

/// Makes a file as large as that, all of it holes, and says so in its header.
void addHoles(const QString& path, uint64_t size) {
  const std::string file = path.toStdString();
  std::string bytes = test::bytesOfFile(file);
  bytes.replace(28, 4, test::bigEndianBytes(size / test::pageBytesOf(bytes), 4));
  bytes.replace(24, 4, bytes.substr(92, 4));  // So that the number of pages is believed.
  test::writeBytes(file, bytes);
  std::filesystem::resize_file(file, size);
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
    QVERIFY(test::thread_ms() - begin < 10'000.0);
  }

  void sharedPages_fillNoDisk() {
    test::sharePages(databasePath().toStdString(), "chat");
    const double begin = test::thread_ms();
    const auto made = backUpNow(path(), {}, kNow);
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::kCorruptFile);
    QVERIFY2(errorOf(made).contains(databasePath()), qPrintable(errorOf(made)));
    QVERIFY(test::thread_ms() - begin < 10'000.0);
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
    QVERIFY(test::thread_ms() - begin < 10'000.0);
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

  /// The limits follow from what the file takes on the disk, whatever size it has.
  void holes_raiseNoLimit() {
    test::sharePages(databasePath().toStdString(), "chat");
    addHoles(databasePath(), uint64_t{1} << 36);
    const auto store = ConversationStore::openForReading(path());
    QVERIFY2(store, qPrintable(errorOf(store)));
    const auto chats = (*store)->chats();
    QVERIFY(!chats);
    QCOMPARE(chats.error().code, ErrorCode::kCorruptFile);
    const auto count = countRows((*store)->database(), "chat WHERE draft = 'none has it'");
    QVERIFY(!count);
    QCOMPARE(count.error().code, ErrorCode::kCorruptFile);
  }

  void valueInHoles_takesNoMemory() {
    constexpr int kBytes = 60'000'000;
    test::overflowToItself(databasePath().toStdString(), kBytes);
    const auto store = ConversationStore::openForReading(path());
    QVERIFY2(store, qPrintable(errorOf(store)));
    sqlite3_memory_highwater(1);
    const auto chats = (*store)->chats();
    QVERIFY(!chats);
    QCOMPARE(chats.error().code, ErrorCode::kCorruptFile);
    QVERIFY(sqlite3_memory_highwater(0) < kBytes / 2);
  }

  /// What is read may be as long as what was written, also on the connection that wrote it.
  void longText_isReadAgain() {
    const auto store = ConversationStore::open(path());
    QVERIFY(store);
    const QString text(40'000'000, 'x');
    Statement write((*store)->database(), "UPDATE chat SET draft = ?");
    QVERIFY(write.bind(text).run());
    const auto read = Statement((*store)->database(), "SELECT draft FROM chat").first<QString>();
    QVERIFY2(read, qPrintable(errorOf(read)));
    QVERIFY(*read == text);
  }

  void logThatClaimsPages_isRefused() {
    const std::string bytes = test::bytesOfFile(databasePath().toStdString());
    constexpr uint64_t kPages = 0x7ffffff0;
    std::string page = bytes.substr(0, test::pageBytesOf(bytes));
    page.replace(28, 4, test::bigEndianBytes(kPages, 4));
    page.replace(92, 4, page.substr(24, 4));  // The change at which that number was valid.
    test::writeBytes(databasePath().toStdString() + "-wal", test::logOfOnePage(1, page, kPages));
    for (const bool forReading : {true, false}) {
      const auto store =
          forReading ? ConversationStore::openForReading(path()) : ConversationStore::open(path());
      QVERIFY(!store);
      QCOMPARE(store.error().code, ErrorCode::kCorruptFile);
      QVERIFY2(errorOf(store).contains(databasePath()), qPrintable(errorOf(store)));
    }
    QVERIFY(test::bytesOfFile(databasePath().toStdString()) == bytes);
  }

 private:
  QString path() const { return m_folder->path(); }
  QString databasePath() const { return storePath(path()); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestSharedPages)
#include "tst_shared_pages.moc"
