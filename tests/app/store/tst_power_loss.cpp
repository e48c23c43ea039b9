#include <QTemporaryDir>
#include <QtTest>

#include <functional>
#include <memory>
#include <vector>

#include "app/store/backup/backups.h"
#include "app/store/backup/store_rescue.h"
#include "app/store/data_folder.h"
#include "app/store/database.h"
#include "app/store/store_writer.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/kill_harness.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/fault_vfs.h"

using namespace quire;

namespace {

/// The long form takes longer than the five minutes that Qt gives a test; read before main().
const bool kIsPatient = qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");

constexpr RecordId kBesideChat = 800;     ///< With drafts; never answered.
constexpr RecordId kRemovedChats = 9000;  ///< And above: each is removed at once.

/// What a store says of the numbers that Promiser::writeBeside() wrote.
QHash<QString, qint64> numbersIn(const QString& folder) {
  QHash<QString, qint64> numbers;
  const auto store = ConversationStore::open(folder);
  if (!store) return numbers;
  for (const PersonaRecord& persona : (*store)->personas().value()) {
    numbers["persona"] = persona.description.toLongLong();
  }
  for (const ChatRecord& chat : (*store)->chats().value()) {
    if (chat.id == kBesideChat) numbers["draft"] = chat.draft.toLongLong();
  }
  for (const AttachmentRecord& file : (*store)->draftFiles(kBesideChat).value()) {
    const bool isWhole = file.text == file.name.repeated(2000);
    numbers["draft file"] = isWhole ? file.name.toLongLong() : -1;
  }
  numbers["setting"] = (*store)->setting("n").value().value_or("0").toLongLong();
  numbers["edit"] = (*store)->edit(1).value().text.toLongLong();
  return numbers;
}

/// Writes turns and what stands beside them, and remembers from which operation on each is promised
/// to be on the disk.
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
  bool isOpen() const { return m_store != nullptr; }
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

  /// The n-th draft with its file, edit, persona, setting and removal of a chat. False if a write
  /// failed. There is an answer in chat 1.
  bool writeBeside(int n) {
    const QString text = QString::number(n);
    PersonaRecord persona = samples::persona(700);
    persona.description = text;
    ChatRecord chat = samples::chat(kBesideChat);
    chat.draft = text;
    const AttachmentRecord file{
        .name = text, .mediaType = "text/plain", .text = text.repeated(2000)};
    const RecordId removed = kRemovedChats + n;
    return keep("persona", n, m_store->putPersona(persona)) &&
           keep("draft", n, m_store->putDraft(chat, {file})) && keep("draft file", n, {}) &&
           keep("setting", n, m_store->putSetting("n", text)) &&
           keep("edit", n, m_store->putEdit(1, {.messageId = m_heads.value(1), .text = text})) &&
           keep("", n, m_store->putChat(samples::chat(removed))) &&
           keep("removal", n, m_store->removeChat(removed));
  }

  /// Of the last call that failed.
  const QString& error() const { return m_error; }
  /// Whether the call succeeded; keeps its error.
  template <typename T>
  bool isDone(const Result<T>& done) {
    if (!done) m_error = QString::fromStdString(done.error().message);
    return done.has_value();
  }

  bool backUp(int day) {
    const auto database = openStoreForReading(m_folder);
    if (!isDone(database)) return false;
    const auto made = makeBackup(**database, Backup::Kind::Asked,
                                 QDateTime(QDate(2026, 1, 1).addDays(day), QTime(12, 0)));
    if (made) m_backups.push_back({log().size(), QFileInfo(*made).fileName()});
    return isDone(made);
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
    if (wrong.isEmpty()) wrong = verifyBeside(folder, until);
    return wrong.isEmpty() ? wrong : QString("cut %1, seed %2: %3").arg(until).arg(seed).arg(wrong);
  }

 private:
  struct Promise {
    size_t from;
    RecordId chat;
    RecordId answer;
    kill::Promised promised;
  };

  /// Of what writeBeside() wrote.
  struct Number {
    size_t from;
    QString what;
    qint64 number;
  };

  const DiskLog& m_vfs_log() const { return const_cast<Promiser*>(this)->m_vfs.log(); }

  bool note(const Result<void>& written, RecordId chat, RecordId question, RecordId answer,
            qint64 length, bool finished) {
    if (!isDone(written)) return false;
    m_promises.push_back({log().size(), chat, answer, {question, length, finished}});
    return true;
  }

  bool keep(const QString& what, qint64 number, const Result<void>& written) {
    if (!isDone(written)) return false;
    if (!what.isEmpty()) m_numbers.push_back({log().size(), what, number});
    return true;
  }

  QString verifyBeside(const QString& folder, size_t until) const {
    const auto store = ConversationStore::open(folder);
    if (!store) return QString::fromStdString(store.error().message);
    QSet<RecordId> chats;
    for (const ChatRecord& chat : (*store)->chats().value()) chats.insert(chat.id);
    const QHash<QString, qint64> numbers = numbersIn(folder);
    for (const Number& promised : m_numbers) {
      if (promised.from > until) continue;
      const QString name = promised.what + " " + QString::number(promised.number);
      if (promised.what == "removal") {
        if (chats.contains(kRemovedChats + promised.number)) return name + " is undone";
      } else if (numbers.value(promised.what) < promised.number) {
        return name + " is lost";
      }
    }
    return {};
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
  std::vector<Number> m_numbers;
  QString m_error;
};

/// What is done while a call fails, and what comes before it. Both return false, and leave their
/// error in the promiser, if they fail.
struct Work {
  std::function<bool(Promiser&)> prepare;
  std::function<bool(Promiser&)> run;
  /// What is wrong after a power cut at the end; empty: nothing.
  std::function<QString(const Promiser&, uint32_t seed)> check = [](const Promiser& promiser,
                                                                    uint32_t seed) {
    return promiser.cut(const_cast<Promiser&>(promiser).log().size(), seed);
  };
};

bool goOn(qint64, qint64) {
  return true;
}

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
      if (i % 4 == 1) QVERIFY(promiser.writeBeside(i));
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

  /// A power cut while the store of an older Quire gets the newest version's tables.
  void cutInAMigration_keepsTheStore() {
    const QString folder = m_root->path() + "/data";
    FaultVfs vfs(m_root->path().toStdString());
    QVERIFY(makeOldStore(folder));
    const size_t begin = vfs.log().size();
    QVERIFY(ConversationStore::open(folder));
    const size_t end = vfs.log().size();
    QVERIFY(end > begin);
    QRandomGenerator random = kill::makeRandom();
    for (int i = 0; i < kill::numKills(20, 1000); ++i) {
      const size_t until = begin + random.bounded(static_cast<quint32>(end - begin + 1));
      const QTemporaryDir disk;
      vfs.log().writeDisk(until, random.generate(), disk.path().toStdString());
      const QString wrong = faultOfOldStore(disk.path() + "/data");
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("cut %1: %2").arg(until).arg(wrong)));
    }
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
    const auto turns = [](Promiser& promiser) {
      bool isDone = true;
      for (int turn = 0; turn < 3; ++turn) isDone = promiser.writeTurn(2) && isDone;
      isDone = promiser.writeBeside(1) && isDone;
      return promiser.isDone(promiser.store().removeChat(99)) && isDone;
    };
    int numReported = 0;
    failCallsOf({.prepare = [](Promiser&) { return true; }, .run = turns}, fault,
                kill::numKills(20, 1000), &numReported);
    QVERIFY(numReported > 0);
  }

  void nthCallFails_inABackup_data() { nthCallFails_losesNothing_data(); }
  void nthCallFails_inABackup() {
    QFETCH(FaultVfs::Fault, fault);
    failCallsOf({.prepare = [](Promiser& promiser) { return promiser.backUp(0); },
                 .run = [](Promiser& promiser) { return promiser.backUp(1); }},
                fault, numFewKills());
  }

  void nthCallFails_inARestore_data() { nthCallFails_losesNothing_data(); }
  /// The turn after the backup is in the store, or in the one that was moved aside.
  void nthCallFails_inARestore() {
    QFETCH(FaultVfs::Fault, fault);
    const auto prepare = [](Promiser& promiser) {
      const bool isDone = promiser.backUp(0) && promiser.writeTurn(2);
      promiser.close();
      return isDone;
    };
    const auto restore = [](Promiser& promiser) {
      const auto backups = listBackups(promiser.folder(), false);
      return promiser.isDone(restoreBackup(promiser.folder(), backups.first().path));
    };
    const auto check = [](const Promiser& promiser, uint32_t seed) {
      DiskLog& log = const_cast<Promiser&>(promiser).log();
      return checkRestored(log, log.size(), seed, /*isDone=*/false);
    };
    failCallsOf({.prepare = prepare, .run = restore, .check = check}, fault, numFewKills());
  }

  void nthCallFails_whileChatsAreErased_data() { nthCallFails_losesNothing_data(); }
  void nthCallFails_whileChatsAreErased() {
    QFETCH(FaultVfs::Fault, fault);
    const auto prepare = [](Promiser& promiser) {
      return promiser.writeTurn(2) && promiser.backUp(0) && promiser.backUp(1);
    };
    const auto erase = [](Promiser& promiser) {
      return promiser.isDone(
          removeFromBackups(promiser.folder(), {{2, samples::chat(2).createdMs}}));
    };
    failCallsOf({.prepare = prepare, .run = erase}, fault, numFewKills());
  }

  void nthCallFails_inAnImport_data() { nthCallFails_losesNothing_data(); }
  void nthCallFails_inAnImport() {
    QFETCH(FaultVfs::Fault, fault);
    const QTemporaryDir from;
    const QString file = from.path() + "/export.json";
    {
      const auto store = ConversationStore::open(from.path());
      QVERIFY(store && (*store)->putPersona(samples::persona(10)));
      QVERIFY((*store)->beginTurn(samples::chat(11, 13), samples::question(12, 11),
                                  samples::emptyAnswer(13, 11, 12)));
      MessageRecord answer = samples::finishedAnswer(13, 11, 12);
      answer.setText({});  // Which cut() does not know.
      QVERIFY((*store)->finishAnswer(answer));
      QVERIFY(exportJson(from.path(), {}, file, goOn));
    }
    const auto import = [&](Promiser& promiser) {
      IdSource ids(100'000);
      return promiser.isDone(importJson(promiser.folder(), file, ids, goOn));
    };
    failCallsOf({.prepare = [](Promiser&) { return true; }, .run = import}, fault, numFewKills());
  }

  void nthCallFails_inAMigration_data() { nthCallFails_losesNothing_data(); }
  void nthCallFails_inAMigration() {
    QFETCH(FaultVfs::Fault, fault);
    QRandomGenerator random = kill::makeRandom();
    int count = 0;
    for (int i = 0; i <= numFewKills(); ++i) {
      const QTemporaryDir root;
      const QString folder = root.path() + "/data";
      FaultVfs vfs(root.path().toStdString());
      QVERIFY(makeOldStore(folder));
      const int n = i == 0 ? 0 : 1 + static_cast<int>(random.bounded(count));
      vfs.failCall(n, fault);
      const auto opened = ConversationStore::open(folder);
      if (n == 0) count = vfs.numCalls();
      QVERIFY(vfs.hasFailed() == (n != 0) && count > 0 && (opened || n != 0));
      if (!opened) checkSentence(QString::fromStdString(opened.error().message), root.path());
      vfs.failNothing();
      const QString wrong = faultOfOldStore(folder);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("call %1: %2").arg(n).arg(wrong)));
    }
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
  static int numFewKills() { return kill::numKills(4, 300); }

  /// It names the file and ends as a sentence does.
  static void checkSentence(const QString& sentence, const QString& root) {
    QVERIFY2(sentence.contains(root) && sentence.endsWith('.'), qPrintable(sentence));
  }

  /// Does the work again and again in a new store, while another one of its calls fails; the first
  /// time none does, and they are counted. What is reported is true, the store stays usable, and a
  /// power cut at the end loses nothing. A call that fails may do no harm: `numReported` counts
  /// those that did.
  static void failCallsOf(const Work& work, FaultVfs::Fault fault, int rounds,
                          int* numReported = nullptr) {
    QRandomGenerator random = kill::makeRandom();
    int count = 0;
    for (int i = 0; i <= rounds; ++i) {
      const QTemporaryDir root;
      Promiser promiser(root.path());
      QVERIFY(promiser.writeTurn(1) && work.prepare(promiser));
      const int n = i == 0 ? 0 : 1 + static_cast<int>(random.bounded(count));
      promiser.vfs().failCall(n, fault);
      const bool isDone = work.run(promiser);
      if (n == 0) count = promiser.vfs().numCalls();
      QVERIFY2(isDone || n != 0, qPrintable(promiser.error()));
      QVERIFY2(count > 0 && promiser.vfs().hasFailed() == (n != 0), "the call was not made");
      if (!isDone && numReported != nullptr) ++*numReported;
      if (!isDone) checkSentence(promiser.error(), root.path());
      promiser.vfs().failNothing();
      if (!promiser.isOpen()) promiser.reopen();
      QVERIFY2(promiser.writeTurn(3), "the store is not usable any more");
      const QString wrong = work.check(promiser, random.generate());
      QVERIFY2(wrong.isEmpty(),
               qPrintable(QString("call %1 of %2: %3").arg(n).arg(count).arg(wrong)));
    }
    qInfo("each of %d rounds had one of %d calls fail", rounds, count);
  }

  /// A store of version 2, whose name is on the disk.
  static bool makeOldStore(const QString& folder) {
    const QString script = QUIRE_SOURCE_DIR "/tests/app/store/version_2.sql";
    return ensureDataFolder(folder) && samples::runScript(folder + "/quire.db", script) &&
           syncPath(folder);
  }

  /// What is wrong with it once it is opened; empty: nothing.
  static QString faultOfOldStore(const QString& folder) {
    const auto store = ConversationStore::open(folder);
    if (!store) return QString::fromStdString(store.error().message);
    if (const QString damage = (*store)->integrityCheck().value(); !damage.isEmpty()) return damage;
    const auto chats = (*store)->chats();
    if (!chats || chats->size() != 1) return "its chat is lost";
    const auto messages = (*store)->messages(chats->first().id);
    return messages && messages->size() == 2 ? QString() : "its messages are lost";
  }

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
