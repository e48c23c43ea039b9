#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

#include <sqlite3.h>
#include <atomic>

#include "app/store/database.h"
#include "app/store/store_writer.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/attempts.h"
#include "tests/support/full_disk.h"

using namespace quire;

namespace {

/// For calls that do not wait for the disk, where a write waits five seconds for the lock.
constexpr qint64 kCallMs = 2500;

QList<quint64> ticketsOf(const QSignalSpy& spy) {
  QList<quint64> tickets;
  for (const auto& arguments : spy) tickets.append(arguments[0].toULongLong());
  return tickets;
}

/// SQLite's file system while it lives, on which no database can be opened until allow().
class RefusingVfs {
 public:
  explicit RefusingVfs(int code) : m_vfs(*sqlite3_vfs_find(nullptr)) {
    s_base = sqlite3_vfs_find(nullptr);
    s_code = code;
    m_vfs.zName = "refusing";
    m_vfs.xOpen = &RefusingVfs::open;
    sqlite3_vfs_register(&m_vfs, /*makeDflt=*/1);
  }
  ~RefusingVfs() {
    sqlite3_vfs_unregister(&m_vfs);
    sqlite3_vfs_register(s_base, /*makeDflt=*/1);
  }
  RefusingVfs(const RefusingVfs&) = delete;
  RefusingVfs& operator=(const RefusingVfs&) = delete;
  static void allow() { s_code = SQLITE_OK; }

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
    file->pMethods = nullptr;
    const bool isDatabase = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    if (isDatabase && s_code != SQLITE_OK) return s_code;
    return s_base->xOpen(s_base, name, file, flags, opened);
  }

  static inline sqlite3_vfs* s_base = nullptr;
  static inline std::atomic<int> s_code = SQLITE_OK;
  sqlite3_vfs m_vfs;
};

}  // namespace

class TestStoreWriter : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_store = std::move(*ConversationStore::open(m_folder->path()));
  }
  void cleanup() { m_store.reset(); }

  void committed_meansThatItCanBeRead() {
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    int found = -1;
    connect(&writer, &StoreWriter::committed, this, [&](quint64) {
      QCOMPARE(QThread::currentThread(), thread());
      found = static_cast<int>(m_store->messages(1).value().size());
    });
    const auto ticket = writer.beginTurn(samples::chat(1, 3), samples::question(2, 1),
                                         samples::emptyAnswer(3, 1, 2));
    QVERIFY(committed.wait(60'000));
    QCOMPARE(ticketsOf(committed), QList<quint64>{ticket});
    QCOMPARE(found, 2);
  }

  void maintenance_waitsForNoReader() {
    const auto reader = std::move(*openStoreForReading(m_folder->path()));
    QVERIFY(m_store->putChat(samples::chat(1)));
    QVERIFY(reader->exec("BEGIN"));  // A backup, or a long export.
    QVERIFY(reader->number("SELECT count(*) FROM chat"));
    StoreWriter writer(m_folder->path());
    writer.write(&ConversationStore::removeChat, 1);
    QVERIFY(writer.flush(20'000));
    constexpr qint64 kQuickMs = 2000;
    const qint64 ms = test::msOfAttempts(kQuickMs, [&] {
      QTest::qWait(600);  // It has begun with what there is to do when it is idle.
      QElapsedTimer timer;
      timer.start();
      writer.putSetting("theme", "dark");
      return writer.flush(20'000) ? timer.elapsed() : qint64{20'000};
    });
    QVERIFY2(ms < kQuickMs, qPrintable(QString::number(ms)));
  }

  void idleWriter_leavesTheLogAlone() {
    StoreWriter writer(m_folder->path());
    writer.putSetting("theme", "dark");
    QVERIFY(writer.flush(20'000));
    QTest::qWait(600);
    QVERIFY(QFile(m_folder->path() + "/quire.db-wal").size() > 0);
  }

  void outOfMemory_keepsWhatIsQueued() {
    StoreWriter writer(m_folder->path());
    QSignalSpy paused(&writer, &StoreWriter::paused);
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    writer.putChat(samples::chat(1));
    QVERIFY(committed.wait(20'000));
    sqlite3_hard_heap_limit64(sqlite3_memory_used() + 200'000);
    ChatRecord chat = samples::chat(1);
    chat.draft = QString(2'000'000, 'x');
    writer.putChat(chat);
    const bool isPaused = paused.wait(20'000);
    sqlite3_hard_heap_limit64(0);
    QVERIFY(isPaused);
    QVERIFY2(paused[0][0].toString().contains("memory"), qPrintable(paused[0][0].toString()));
    writer.retry();
    QVERIFY(committed.wait(20'000));
    QCOMPARE(m_store->chats().value()[0].draft.size(), 2'000'000);
    QVERIFY(failed.isEmpty());
  }

  void everyKind_isWritten() {
    StoreWriter writer(m_folder->path());
    QSignalSpy failed(&writer, &StoreWriter::failed);
    QSignalSpy committed(&writer, &StoreWriter::committed);
    writer.write(&ConversationStore::putPersona, samples::persona(1));
    writer.write(&ConversationStore::putPersona, samples::persona(2));
    writer.write(&ConversationStore::removePersona, 1);
    writer.putChat(samples::chat(3));
    writer.putChat(samples::chat(4));
    writer.write(&ConversationStore::removeChat, 3);
    writer.putSetting("k", "v");
    writer.beginTurn(samples::chat(5, 7), samples::question(6, 5), samples::emptyAnswer(7, 5, 6));
    writer.checkpointAnswer(7, "so far", {1});
    const auto last = writer.finishAnswer(samples::finishedAnswer(7, 5, 6));
    QTRY_COMPARE(committed.size(), 10);
    QVERIFY(failed.isEmpty());
    QCOMPARE(committed.last()[0].toULongLong(), last);
    QCOMPARE(m_store->personas().value().size(), 1);
    QCOMPARE(m_store->chats().value().size(), 2);
    QCOMPARE(m_store->setting("k").value(), std::optional<QString>("v"));
    QCOMPARE(m_store->messages(5).value()[1].text(), samples::finishedAnswer(7, 5, 6).text());
    QCOMPARE(m_store->messages(5).value()[1].status, MessageStatus::Complete);
  }

  void writes_keepTheirOrder() {
    QList<quint64> sent;
    QList<quint64> got;
    StoreWriter writer(m_folder->path());
    connect(&writer, &StoreWriter::committed, this, [&](quint64 ticket) { got.append(ticket); });
    for (int i = 0; i < 100; ++i) sent.append(writer.putSetting("n", QString::number(i)));
    QVERIFY(writer.flush(30'000));
    QCOMPARE(m_store->setting("n").value(), std::optional<QString>("99"));
    QTRY_COMPARE(got, sent);
  }

  void checkpoints_ofOneAnswerJoin() {
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    writer.beginTurn(samples::chat(1, 3), samples::question(2, 1), samples::emptyAnswer(3, 1, 2));
    writer.beginTurn(samples::chat(4, 6), samples::question(5, 4), samples::emptyAnswer(6, 4, 5));
    QVERIFY(writer.flush(30'000));
    QVERIFY(m_store->database().exec("BEGIN IMMEDIATE"));  // Nothing is committed meanwhile.
    QString text;
    constexpr int kCheckpoints = 3000;
    for (int i = 0; i < kCheckpoints; ++i) {
      text += QStringLiteral("x");
      writer.checkpointAnswer(3, text, {i});
      writer.checkpointAnswer(6, text, {i});
    }
    QVERIFY(m_store->database().exec("COMMIT"));
    QElapsedTimer timer;
    timer.start();
    QVERIFY(writer.flush(30'000));
    // One by one, 6,000 durable commits would take some twenty seconds.
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    QTRY_COMPARE(committed.size(), 2 + 2 * kCheckpoints);
    for (const RecordId chat : {1, 4}) {
      const auto answer = m_store->messages(chat).value()[1];
      QCOMPARE(answer.text(), text);
      QCOMPARE(answer.tokens, QList<qint32>{kCheckpoints - 1});
      QCOMPARE(answer.status, MessageStatus::Streaming);
    }
  }

  void answerOfARemovedChat_isNoFailure() {
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    writer.beginTurn(samples::chat(1, 3), samples::question(2, 1), samples::emptyAnswer(3, 1, 2));
    writer.write(&ConversationStore::removeChat, 1);
    writer.checkpointAnswer(3, "late", {});
    writer.finishAnswer(samples::finishedAnswer(3, 1, 2));
    QTRY_COMPARE(committed.size(), 4);
    QVERIFY(failed.isEmpty());
    QVERIFY(m_store->chats().value().isEmpty());
  }

  void refusedWords_areUnsaved_untilTheyAreWritten() {
    StoreWriter writer(m_folder->path());
    QSignalSpy failed(&writer, &StoreWriter::failed);
    writer.beginTurn(samples::chat(1, 3), samples::question(2, 1), samples::emptyAnswer(3, 1, 2));
    QVERIFY(writer.flush(30'000));
    QVERIFY(
        m_store->database().exec("CREATE TRIGGER refuse BEFORE UPDATE ON message "
                                 "BEGIN SELECT RAISE(ABORT, 'refused'); END"));
    writer.finishAnswer(samples::finishedAnswer(3, 1, 2));
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(writer.unsaved().messages, 1);
    QCOMPARE(writer.unsaved().failure, failed[0][1].toString());
    QVERIFY(m_store->database().exec("DROP TRIGGER refuse"));
    writer.finishAnswer(samples::finishedAnswer(3, 1, 2));
    QVERIFY(writer.flush(30'000));
    QVERIFY(writer.unsaved().isNothing());
    QVERIFY(writer.unsaved().failure.isEmpty());
  }

  void refusedDraft_isUnsaved_untilItIsEmpty() {
    StoreWriter writer(m_folder->path());
    QSignalSpy failed(&writer, &StoreWriter::failed);
    ChatRecord chat = samples::chat(1, 4711);  // Its head is nowhere.
    writer.putChat(chat);
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(writer.unsaved().messages, 1);
    chat.headMessageId = 0;
    chat.draft.clear();
    writer.putChat(chat);
    QVERIFY(writer.flush(30'000));
    QVERIFY(writer.unsaved().isNothing());
  }

  void lostWords_areNotQueued() {
    StoreWriter writer(m_folder->path());
    loseADraft(writer);
    QVERIFY(!writer.unsaved().isQueued);
    QVERIFY(!writer.unsaved().isNothing());
    QVERIFY(m_store->database().exec("BEGIN IMMEDIATE"));
    writer.putSetting("theme", "dark");
    QVERIFY(writer.unsaved().isQueued);
    QVERIFY(m_store->database().exec("COMMIT"));
    QVERIFY(writer.flush(30'000));
    QVERIFY(!writer.unsaved().isQueued);
    QCOMPARE(writer.unsaved().messages, 1);
  }

  void lostWords_areForgotten_withTheirChat() {
    StoreWriter writer(m_folder->path());
    loseAnAnswer(writer);
    writer.putEdit(1, {.messageId = 4711, .text = "edited"});
    QVERIFY(writer.flush(30'000));
    writer.putChat(samples::chat(9));
    writer.removeChat(9);
    QVERIFY(writer.flush(30'000));
    QVERIFY(writer.unsaved().messages > 0);
    writer.removeChat(1);
    QVERIFY(writer.flush(30'000));
    QVERIFY(writer.unsaved().isNothing());
    QVERIFY(writer.unsaved().failure.isEmpty());
  }

  void lostAnswer_isForgotten_withItsMessage() {
    StoreWriter writer(m_folder->path());
    loseAnAnswer(writer);
    writer.removeMessages(1, {3});
    QVERIFY(writer.flush(30'000));
    QVERIFY(writer.unsaved().isNothing());
  }

  void fullDisk_givesBackTheNewTurnOnly() {
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    writer.beginTurn(samples::chat(1, 3), samples::question(2, 1), samples::emptyAnswer(3, 1, 2));
    QTRY_COMPARE(committed.size(), 1);
    MessageRecord big = samples::question(4, 1, 3);
    big.setText(QString(400'000, 'x'));
    {
      const FullDisk full(200'000);
      const auto ticket = writer.beginTurn(samples::chat(1, 5), big, samples::emptyAnswer(5, 1, 4));
      QTRY_COMPARE(failed.size(), 1);
      QCOMPARE(failed[0][0].toULongLong(), ticket);
      QVERIFY2(failed[0][1].toString().contains(m_folder->path()),
               qPrintable(failed[0][1].toString()));
    }
    QCOMPARE(m_store->messages(1).value().size(), 2);
    writer.beginTurn(samples::chat(1, 5), big, samples::emptyAnswer(5, 1, 4));
    QTRY_COMPARE(committed.size(), 2);
    QCOMPARE(failed.size(), 1);
    QCOMPARE(m_store->messages(1).value().size(), 4);
    QCOMPARE(m_store->integrityCheck().value(), QString());
  }

  void fullDisk_pausesAndLosesNothing() {
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    QSignalSpy paused(&writer, &StoreWriter::paused);
    QSignalSpy resumed(&writer, &StoreWriter::resumed);
    writer.beginTurn(samples::chat(1, 3), samples::question(2, 1), samples::emptyAnswer(3, 1, 2));
    QTRY_COMPARE(committed.size(), 1);
    MessageRecord done = samples::finishedAnswer(3, 1, 2);
    done.setText(QString(400'000, 'x'));
    QList<quint64> sent;
    {
      const FullDisk full(100'000);
      sent.append(writer.checkpointAnswer(3, done.text().left(300'000), {}));
      QTRY_COMPARE(paused.size(), 1);
      QVERIFY2(paused[0][0].toString().contains(m_folder->path()),
               qPrintable(paused[0][0].toString()));
      sent.append(writer.checkpointAnswer(3, done.text(), {}));
      sent.append(writer.finishAnswer(done));
      ChatRecord chat = samples::chat(1, 3);
      for (int i = 0; i < 100; ++i) {
        chat.draft = QString::number(i);
        sent.append(writer.putChat(chat));
      }
      sent.append(writer.putSetting("theme", "dark"));
      // A new turn is not kept waiting.
      const auto turn = writer.beginTurn(samples::chat(9, 11), samples::question(10, 9),
                                         samples::emptyAnswer(11, 9, 10));
      QTRY_COMPARE(failed.size(), 1);
      QCOMPARE(failed[0][0].toULongLong(), turn);
      QCOMPARE(failed[0][1], paused[0][0]);
      QVERIFY(!writer.flush(30'000));  // It says so, and does not wait for a miracle.
      QCOMPARE(committed.size(), 1);
      QVERIFY(resumed.isEmpty());
    }
    writer.retry();
    QTRY_COMPARE(committed.size(), 1 + sent.size());
    QCOMPARE(ticketsOf(committed).mid(1), sent);
    QCOMPARE(resumed.size(), 1);
    QCOMPARE(failed.size(), 1);
    QCOMPARE(m_store->messages(1).value()[1].text(), done.text());
    QCOMPARE(m_store->messages(1).value()[1].status, MessageStatus::Complete);
    QCOMPARE(m_store->chats().value()[0].draft, QString("99"));
    QCOMPARE(m_store->setting("theme").value(), std::optional<QString>("dark"));
    QCOMPARE(m_store->integrityCheck().value(), QString());
  }

  void pause_endsByItself() {
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy paused(&writer, &StoreWriter::paused);
    {
      const FullDisk full(100'000);
      writer.putSetting("big", QString(400'000, 'x'));
      QTRY_COMPARE(paused.size(), 1);
    }
    QTRY_COMPARE(committed.size(), 1);
  }

  void destructor_givesUpOnAFullDisk() {
    QElapsedTimer timer;
    const FullDisk full(100'000);
    {
      StoreWriter writer(m_folder->path());
      for (int i = 0; i < 5; ++i) writer.putSetting(QString("k%1").arg(i), QString(400'000, 'x'));
      timer.start();
    }
    QVERIFY(timer.elapsed() < 5000);
  }

  void pause_endsWithARefusal_andWhatIsBehindItIsWritten() {
    const QString folder = m_folder->path() + "/occupied";
    QVERIFY(QFile(folder).open(QIODevice::WriteOnly));
    StoreWriter writer(folder);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    QSignalSpy resumed(&writer, &StoreWriter::resumed);
    QSignalSpy committed(&writer, &StoreWriter::committed);
    pauseOnARefusal(writer);
    QVERIFY(QFile::remove(folder));
    writer.retry();
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(resumed.size(), 1);
    QTRY_COMPARE(committed.size(), 1);
  }

  void destructor_writesOn_pastWhatIsRefused() {
    const QString folder = m_folder->path() + "/occupied";
    QVERIFY(QFile(folder).open(QIODevice::WriteOnly));
    {
      StoreWriter writer(folder);
      pauseOnARefusal(writer);
      QVERIFY(QFile::remove(folder));
    }
    const auto store = std::move(*ConversationStore::open(folder));
    QCOMPARE(store->setting("after").value(), std::optional<QString>("it"));
  }

  void folderThatCannotBeOpened_pausesUntilItCan() {
    const QString folder = m_folder->path() + "/occupied";
    QVERIFY(QFile(folder).open(QIODevice::WriteOnly));
    StoreWriter writer(folder);
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy paused(&writer, &StoreWriter::paused);
    const auto first = writer.putSetting("a", "b");
    const auto second = writer.putSetting("c", "d");
    QTRY_COMPARE(paused.size(), 1);
    QVERIFY(paused[0][0].toString().contains("--data"));
    QVERIFY(QFile::remove(folder));
    writer.retry();
    QTRY_COMPARE(ticketsOf(committed), (QList<quint64>{first, second}));
  }

  void protocolError_pauses_data() {
    QTest::addColumn<int>("code");
    QTest::newRow("the locks of the log are taken") << SQLITE_PROTOCOL;
    QTest::newRow("no permission") << SQLITE_PERM;
    QTest::newRow("no large files") << SQLITE_NOLFS;
  }
  void protocolError_pauses() {
    QFETCH(int, code);
    const RefusingVfs disk(code);
    StoreWriter writer(m_folder->path());
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy paused(&writer, &StoreWriter::paused);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    writer.putSetting("a", "b");
    QTRY_COMPARE(paused.size() + failed.size(), 1);
    QCOMPARE(paused.size(), 1);
    RefusingVfs::allow();
    writer.retry();
    QTRY_COMPARE(committed.size(), 1);
    QVERIFY(failed.isEmpty());
  }

  void damagedFile_failsEachTicket() {
    const QString folder = m_folder->path() + "/damaged";
    QVERIFY(QDir().mkdir(folder));
    QFile file(folder + "/quire.db");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(8192, 'q'));
    file.close();
    StoreWriter writer(folder);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    const auto first = writer.putSetting("a", "b");
    const auto second = writer.putSetting("c", "d");
    QTRY_COMPARE(failed.size(), 2);
    QCOMPARE(ticketsOf(failed), (QList<quint64>{first, second}));
    QVERIFY(failed[0][1].toString().contains("backup"));
  }

  void destructor_writesWhatIsQueued() {
    {
      StoreWriter writer(m_folder->path());
      for (int i = 0; i < 200; ++i) writer.putSetting(QString("k%1").arg(i), "v");
    }
    QVERIFY(m_store->setting("k199").value().has_value());
  }

  void flush_isBounded() {
    StoreWriter writer(m_folder->path());
    openByAWrite(writer);
    QVERIFY(m_store->database().exec("BEGIN IMMEDIATE"));
    for (int i = 0; i < 300; ++i) writer.putSetting(QString("k%1").arg(i), "v");
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!writer.flush(1));
    QVERIFY2(timer.elapsed() < kCallMs, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(m_store->database().exec("COMMIT"));
    QVERIFY(writer.flush(60'000));
    QVERIFY(writer.flush(0));
  }

  void calls_doNotWaitForTheDisk() {
    StoreWriter writer(m_folder->path());
    openByAWrite(writer);
    QVERIFY(m_store->database().exec("BEGIN IMMEDIATE"));
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 300; ++i) writer.putSetting("k", QString::number(i));
    QVERIFY2(timer.elapsed() < kCallMs, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(m_store->database().exec("COMMIT"));
  }

 private:
  /// In a folder that cannot be used yet: a chat whose head is nowhere, and a setting behind it.
  static void pauseOnARefusal(StoreWriter& writer) {
    QSignalSpy paused(&writer, &StoreWriter::paused);
    writer.putChat(samples::chat(1, 4711));
    writer.putSetting("after", "it");
    QTRY_COMPARE(paused.size(), 1);
  }

  /// A chat whose head is nowhere.
  static void loseADraft(StoreWriter& writer) {
    writer.putChat(samples::chat(1, 4711));
    QVERIFY(writer.flush(30'000));
    QCOMPARE(writer.unsaved().messages, 1);
  }

  /// Answer 3 of chat 1.
  void loseAnAnswer(StoreWriter& writer) {
    writer.beginTurn(samples::chat(1, 3), samples::question(2, 1), samples::emptyAnswer(3, 1, 2));
    QVERIFY(writer.flush(30'000));
    QVERIFY(
        m_store->database().exec("CREATE TRIGGER refuse BEFORE UPDATE ON message "
                                 "BEGIN SELECT RAISE(ABORT, 'refused'); END"));
    writer.finishAnswer(samples::finishedAnswer(3, 1, 2));
    QVERIFY(writer.flush(30'000));
    QCOMPARE(writer.unsaved().messages, 1);
    QVERIFY(m_store->database().exec("DROP TRIGGER refuse"));
  }

  /// The writer opens the store for its first job.
  static void openByAWrite(StoreWriter& writer) {
    writer.putSetting("first", "it");
    QVERIFY(writer.flush(30'000));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ConversationStore> m_store;
};

QTEST_GUILESS_MAIN(TestStoreWriter)
#include "tst_store_writer.moc"
