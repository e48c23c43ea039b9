#include <QTemporaryDir>
#include <QtTest>

#include <memory>
#include <vector>

#include "app/store/backup/backups.h"
#include "app/store/database.h"
#include "app/store/store_writer.h"
#include "tests/app/store/kill_harness.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/fault_vfs.h"

using namespace quire;

namespace {

/// The long form takes longer than the five minutes that Qt gives a test; read before main().
const bool kIsPatient = qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");

/// Writes turns, and remembers from which operation on each is promised to be on the disk.
class Promiser {
 public:
  explicit Promiser(const QString& root) : m_vfs(root.toStdString()), m_folder(root + "/data") {
    reopen();
  }

  FaultVfs& vfs() { return m_vfs; }
  DiskLog& log() { return m_vfs.log(); }
  const QString& folder() const { return m_folder; }
  ConversationStore& store() { return *m_store; }
  void close() { m_store.reset(); }
  void reopen() {
    m_store.reset();
    auto opened = ConversationStore::open(m_folder, /*recover=*/false);
    if (!opened) qFatal("%s", opened.error().message.c_str());
    m_store = std::move(*opened);
  }

  /// A turn in the chat: its beginning, some checkpoints, its end. False if a write failed.
  bool writeTurn(RecordId chat) {
    const RecordId question = ++m_lastId;
    const RecordId answer = ++m_lastId;
    const RecordId parent = m_heads.value(chat);
    const auto began =
        m_store->beginTurn(samples::chat(chat, answer), samples::question(question, chat, parent),
                           samples::emptyAnswer(answer, chat, question));
    if (!note(began, chat, question, answer, 0, false)) return false;
    m_heads.insert(chat, answer);
    MessageRecord done = samples::finishedAnswer(answer, chat, question);
    const QString unit = QString::number(answer);
    for (int i = 1; i <= 3; ++i) {
      const QString text = unit.repeated(i * i * 300);
      const auto kept = m_store->checkpointAnswer(answer, text, {});
      if (!note(kept, chat, question, answer, text.size(), false)) return false;
      done.setText(text);
    }
    return note(m_store->finishAnswer(done), chat, question, answer, done.text().size(), true);
  }

  bool backUp(int day) {
    const auto database = openStoreForReading(m_folder);
    const auto made = makeBackup(**database, Backup::Kind::Asked,
                                 QDateTime(QDate(2026, 1, 1).addDays(day), QTime(12, 0)));
    if (made) m_backups.push_back({log().size(), QFileInfo(*made).fileName()});
    return made.has_value();
  }

  /// Cuts the power after `until` operations and starts again on what is left. Empty, or what is
  /// wrong.
  QString cut(size_t until, uint32_t seed) const {
    const QTemporaryDir disk;
    m_vfs_log().writeDisk(until, seed, disk.path().toStdString());
    const QString folder = disk.path() + "/data";
    QString wrong = kill::verify(folder, promisesAt(until), [](const MessageRecord& answer) {
      const QString unit = QString::number(answer.id);
      const bool whole = answer.text() == unit.repeated(answer.text().size() / unit.size());
      return whole ? QString() : "answer " + unit + " is torn";
    });
    if (wrong.isEmpty()) wrong = verifyBackups(folder, until);
    return wrong.isEmpty() ? wrong : QString("cut %1, seed %2: %3").arg(until).arg(seed).arg(wrong);
  }

 private:
  struct Promise {
    size_t from;
    RecordId chat;
    RecordId answer;
    kill::Promised promised;
  };

  const DiskLog& m_vfs_log() const { return const_cast<Promiser*>(this)->m_vfs.log(); }

  bool note(const Result<void>& written, RecordId chat, RecordId question, RecordId answer,
            qint64 length, bool finished) {
    if (!written) return false;
    m_promises.push_back({log().size(), chat, answer, {question, length, finished}});
    return true;
  }

  kill::Promises promisesAt(size_t until) const {
    kill::Promises promises;
    for (const Promise& promise : m_promises) {
      if (promise.from <= until) promises[promise.chat][promise.answer] = promise.promised;
    }
    return promises;
  }

  QString verifyBackups(const QString& folder, size_t until) const {
    for (const auto& [from, name] : m_backups) {
      if (from > until) continue;
      const auto database = openFileForReading(folder + "/backups/" + name);
      if (!database) return QString::fromStdString(database.error().message);
      const auto verdict = (*database)->text("PRAGMA integrity_check");
      if (!verdict || *verdict != "ok") return name + " is torn";
      if ((*database)->number("SELECT count(*) FROM message").value() == 0) return name + ": empty";
    }
    return {};
  }

  FaultVfs m_vfs;
  const QString m_folder;
  std::unique_ptr<ConversationStore> m_store;
  RecordId m_lastId = 1000;
  QHash<RecordId, RecordId> m_heads;
  std::vector<Promise> m_promises;
  std::vector<std::pair<size_t, QString>> m_backups;
};

}  // namespace

/// Promise 4 when the power fails: what was reported as committed is on the disk, although the disk
/// drops, reorders and tears all that was not synced.
class TestPowerLoss : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_root = std::make_unique<QTemporaryDir>(); }

  void cut_losesNothingThatWasCommitted() {
    Promiser promiser(m_root->path());
    // A second connection keeps the log alive, as the window's does.
    auto window = ConversationStore::open(promiser.folder(), /*recover=*/false);
    for (int i = 0; i < 24; ++i) {
      QVERIFY(promiser.writeTurn(1 + i % 3));
      if (i % 6 == 2) QVERIFY(promiser.backUp(i));
      if (i % 6 == 4) QVERIFY(promiser.store().maintain());
      if (i % 8 == 5) QVERIFY(promiser.store().removeChat(removableChat(promiser)));
      if (i == 12) window = Error{};
      if (i >= 12 && i % 4 == 0) promiser.reopen();
    }
    promiser.close();
    cutAtRandom(promiser, 0);
  }

  /// A name is on the disk only when its folder is synced after the rename.
  void backup_isOnTheDiskOnceItIsMade() {
    Promiser promiser(m_root->path());
    QVERIFY(promiser.writeTurn(1));
    QVERIFY(promiser.backUp(0));
    for (uint32_t seed = 0; seed < 16; ++seed) {
      const QString wrong = promiser.cut(promiser.log().size(), seed);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
  }

  void cutInARestore_keepsTheStoreOrTheBackup() {
    Promiser promiser(m_root->path());
    QVERIFY(promiser.writeTurn(1));
    QVERIFY(promiser.backUp(0));
    QVERIFY(promiser.writeTurn(2));
    // The log stays: another connection holds it.
    const auto window = ConversationStore::open(promiser.folder(), /*recover=*/false);
    promiser.close();
    const size_t begin = promiser.log().size();
    const auto backups = listBackups(promiser.folder(), false);
    const auto restored = restoreBackup(promiser.folder(), backups.first().path);
    QVERIFY(restored);
    const size_t end = promiser.log().size();
    QVERIFY(end > begin);
    QRandomGenerator random = kill::makeRandom();
    for (int i = 0; i < kill::numKills(20, 1000); ++i) {
      const size_t until = begin + random.bounded(static_cast<quint32>(end - begin + 1));
      const QString wrong = checkRestored(promiser.log(), until, random.generate(), until == end);
      QVERIFY2(
          wrong.isEmpty(),
          qPrintable(QString("cut %1 of %2 to %3: %4").arg(until).arg(begin).arg(end).arg(wrong)));
    }
  }

  /// SQLite does not sync the copies in which the chats are erased: replacing the backups does.
  void cutWhileChatsAreErased_keepsTheBackupsWhole() {
    Promiser promiser(m_root->path());
    QVERIFY(promiser.writeTurn(1));
    QVERIFY(promiser.writeTurn(2));
    QVERIFY(promiser.backUp(0));
    QVERIFY(promiser.backUp(1));
    const size_t begin = promiser.log().size();
    QCOMPARE(removeFromBackups(promiser.folder(), {{2, samples::chat(2).createdMs}}).value(), 2);
    promiser.close();
    cutAtRandom(promiser, begin);
  }

  void nthCallFails_losesNothing_data() {
    QTest::addColumn<FaultVfs::Fault>("fault");
    QTest::newRow("EIO") << FaultVfs::Fault::kIoError;
    QTest::newRow("ENOSPC") << FaultVfs::Fault::kFull;
    QTest::newRow("fsync") << FaultVfs::Fault::kSyncFails;
  }

  /// One call fails; what is reported then is true, the next turn is written, and a power cut at
  /// the end still loses nothing.
  void nthCallFails_losesNothing() {
    QFETCH(FaultVfs::Fault, fault);
    QRandomGenerator random = kill::makeRandom();
    int failures = 0;
    const int rounds = kill::numKills(20, 1000);
    for (int i = 0; i < rounds; ++i) {
      const QTemporaryDir root;
      Promiser promiser(root.path());
      QVERIFY(promiser.writeTurn(1));
      promiser.vfs().failCall(1 + random.bounded(60), fault);
      for (int turn = 0; turn < 3; ++turn) {
        if (!promiser.writeTurn(2)) ++failures;
      }
      static_cast<void>(promiser.store().removeChat(99));
      promiser.vfs().failNothing();
      QVERIFY2(promiser.writeTurn(3), "the store is not usable any more");
      const QString wrong = promiser.cut(promiser.log().size(), random.generate());
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
    qInfo("%d of %d rounds had a failed write", failures, rounds);
    QVERIFY(failures > 0);
  }

  void failure_hasASentence_data() { nthCallFails_losesNothing_data(); }

  /// Until it passes, the writer pauses with a sentence that names the file; then all is written.
  void failure_hasASentence() {
    QFETCH(FaultVfs::Fault, fault);
    FaultVfs vfs(m_root->path().toStdString());
    StoreWriter writer(m_root->path() + "/data");
    QSignalSpy committed(&writer, &StoreWriter::committed);
    QSignalSpy failed(&writer, &StoreWriter::failed);
    QSignalSpy paused(&writer, &StoreWriter::paused);
    writer.putSetting("a", "1");
    QTRY_COMPARE(committed.size(), 1);
    vfs.failAll(fault);
    writer.putSetting("b", "2");
    QTRY_COMPARE(paused.size(), 1);
    const QString sentence = paused[0][0].toString();
    QVERIFY2(sentence.contains(m_root->path()), qPrintable(sentence));
    QVERIFY2(fault != FaultVfs::Fault::kFull || sentence.contains("full"), qPrintable(sentence));
    vfs.failNothing();
    writer.retry();
    QTRY_COMPARE(committed.size(), 2);
    QVERIFY(failed.isEmpty());
    const auto store = ConversationStore::open(m_root->path() + "/data", false);
    QCOMPARE((*store)->setting("b").value(), std::optional<QString>("2"));
  }

 private:
  /// A chat without promises.
  static RecordId removableChat(Promiser& promiser) {
    static_cast<void>(promiser.store().putChat(samples::chat(900)));
    return 900;
  }

  static void cutAtRandom(const Promiser& promiser, size_t from) {
    QRandomGenerator random = kill::makeRandom();
    const size_t count = const_cast<Promiser&>(promiser).log().size() - from;
    const int cuts = kill::numKills(20, 1000);
    for (int i = 0; i < cuts; ++i) {
      const size_t until = from + random.bounded(static_cast<quint32>(count + 1));
      const QString wrong = promiser.cut(until, random.generate());
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
    qInfo("%d cuts in %zu operations", cuts, count);
  }

  static bool hasMessages(const Database& database, RecordId chat) {
    const auto count =
        database.number("SELECT count(*) FROM message WHERE chat_id = " + std::to_string(chat));
    return count && *count == 2;
  }

  /// Chat 1 is there in any case; chat 2 is in the store, or, once the backup has taken its place,
  /// in the store that was moved aside.
  static QString checkRestored(DiskLog& log, size_t until, uint32_t seed, bool isDone) {
    const QTemporaryDir disk;
    log.writeDisk(until, seed, disk.path().toStdString());
    const QString folder = disk.path() + "/data";
    const auto store = ConversationStore::open(folder);
    if (!store) return QString::fromStdString(store.error().message);
    if (!(*store)->integrityCheck().value().isEmpty()) return "the store is damaged";
    const auto database = openStore(folder);
    if (!hasMessages(**database, 1)) return "chat 1 is lost";
    const bool isOld = hasMessages(**database, 2);
    if (isOld) return isDone ? "the restore is undone" : QString();
    const auto kept = QDir(folder).entryList({"quire-kept-*.db"}, QDir::Files);
    if (kept.isEmpty()) return "the old store is lost";
    const auto old = openFileForReading(folder + "/" + kept.first());
    if (!old) return QString::fromStdString(old.error().message);
    return hasMessages(**old, 2) ? QString() : "chat 2 is lost";
  }

  std::unique_ptr<QTemporaryDir> m_root;
};

QTEST_GUILESS_MAIN(TestPowerLoss)
#include "tst_power_loss.moc"
