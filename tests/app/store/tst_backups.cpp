#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

#include <chrono>
#include <filesystem>
#include <future>
#include <utility>

#include "app/store/backup/backups.h"
#include "app/store/backup/store_rescue.h"
#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

const QDateTime kNow(QDate(2026, 11, 21), QTime(9, 0));

bool goOn(qint64, qint64) {
  return true;
}

template <typename T>
QString errorOf(const Result<T>& result) {
  return result ? QString() : QString::fromStdString(result.error().message);
}

Backup madeDaysAgo(int days, qint64 bytes = 1) {
  return {.path = QString::number(days), .made = kNow.addDays(-days), .bytes = bytes};
}

QStringList pathsOf(const QList<Backup>& backups) {
  QStringList paths;
  for (const Backup& backup : backups) paths.append(backup.path);
  return paths;
}

}  // namespace

class TestBackups : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_store = open();
    turn(1, 2, 3);
  }
  void cleanup() { m_store.reset(); }

  void daily_isMadeOnceADayWhileOthersWrite() {
    const auto made = backUpDaily(path(), {}, kNow);
    QVERIFY2(made && *made, qPrintable(errorOf(made)));
    QVERIFY(!*backUpDaily(path(), {}, kNow.addSecs(3600)));
    turn(4, 5, 6);
    QVERIFY(*backUpDaily(path(), {}, kNow.addDays(1)));
    const auto backups = listBackups(path(), /*count=*/true);
    QCOMPARE(backups.size(), 2);
    QCOMPARE(backups[0].numChats, 2);
    QCOMPARE(backups[1].numChats, 1);
    QCOMPARE(backups[1].numMessages, 2);
    QCOMPARE(backups[1].made, kNow);
    const auto others = QFile::ReadGroup | QFile::ReadOther;
    QVERIFY(!(QFileInfo(backups[0].path).permissions() & others));
  }

  void erasedChat_leavesAllBackups() {
    const QByteArray secret = "SECRET-91c0-words";
    turn(4, 5, 6);
    MessageRecord question = samples::question(8, 7);
    question.setText(QString::fromUtf8(secret + QByteArray(20'000, 'x')));
    ChatRecord chat = samples::chat(7, 9);
    chat.title = "SECRETTITLE";
    QVERIFY(m_store->beginTurn(chat, question, samples::emptyAnswer(9, 7, 8)));
    while (*m_store->maintain()) continue;
    QVERIFY(makeBackup(m_store->database(), Backup::Kind::Daily, kNow));
    QVERIFY(makeBackup(m_store->database(), Backup::Kind::Asked, kNow.addDays(1)));
    QVERIFY(inBackups(secret) && inBackups("secrettitle"));
    const auto erased = removeFromBackups(path(), {{7, chat.createdMs}});
    QVERIFY2(erased, qPrintable(errorOf(erased)));
    QCOMPARE(*erased, 2);
    QVERIFY(!inBackups(secret));
    QVERIFY(!inBackups("secrettitle"));
    const auto backups = listBackups(path(), /*count=*/true);
    QCOMPARE(backups.size(), 2);
    for (const Backup& backup : backups) {
      QCOMPARE(backup.numChats, 2);
      QCOMPARE(backup.numMessages, 4);
      QVERIFY(!(QFileInfo(backup.path).permissions() & (QFile::ReadGroup | QFile::ReadOther)));
    }
    QCOMPARE(QDir(path() + "/backups").entryList(QDir::Files).size(), 2);
    QCOMPARE(*removeFromBackups(path(), {{7, chat.createdMs}}), 0);
    m_store.reset();
    const auto aside = restoreBackup(path(), backups[0].path);
    QVERIFY2(aside, qPrintable(errorOf(aside)));
    m_store = open();
    QCOMPARE(m_store->chats()->size(), 2);
    QCOMPARE(m_store->integrityCheck().value(), QString());
  }

  void chatOfAnotherStoreWithTheSameId_staysInBackups() {
    QVERIFY(makeBackup(m_store->database(), Backup::Kind::Daily, kNow));
    QCOMPARE(*removeFromBackups(path(), {{1, samples::chat(1, 3).createdMs + 1}}), 0);
    QCOMPARE(listBackups(path(), /*count=*/true)[0].numChats, 1);
  }

  void erasing_namesTheBackupThatStays() {
    QVERIFY(makeBackup(m_store->database(), Backup::Kind::Daily, kNow));
    const auto damaged = makeBackup(m_store->database(), Backup::Kind::Daily, kNow.addDays(1));
    QVERIFY(damaged);
    QFile file(*damaged);
    QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(0) && file.write("nonsense") == 8);
    file.close();
    const auto erased = removeFromBackups(path(), {{1, samples::chat(1, 3).createdMs}});
    QVERIFY(!erased);
    QVERIFY2(errorOf(erased).contains(*damaged), qPrintable(errorOf(erased)));
    QCOMPARE(listBackups(path(), /*count=*/true)[1].numChats, 0);  // The others are changed.
  }

  void erasing_endsWhenItIsGivenUp() {
    QVERIFY(makeBackup(m_store->database(), Backup::Kind::Daily, kNow));
    const auto given =
        removeFromBackups(path(), {{1, samples::chat(1, 3).createdMs}}, [] { return true; });
    QVERIFY(!given);
    QCOMPARE(listBackups(path(), /*count=*/true)[0].numChats, 1);
    QCOMPARE(QDir(path() + "/backups").entryList(QDir::Files).size(), 1);
  }

  /// A backup that has read the store before the chat left it must not appear after it has left
  /// the others.
  void erasing_waitsForTheBackupThatIsBeingMade() {
    fill(2'000'000);
    turn(1000, 1001, 1002);
    QVERIFY(makeBackup(m_store->database(), Backup::Kind::Daily, kNow));
    std::promise<void> began;
    std::promise<void> erased;
    bool isFirst = true;
    // The store is checked before it is copied.
    const QString copy = path() + "/backups/unfinished.part";
    const auto waitOnce = [&] {
      if (!QFile::exists(copy)) return false;
      if (std::exchange(isFirst, false)) {
        began.set_value();
        erased.get_future().wait_for(std::chrono::seconds(2));
      }
      return false;
    };
    const auto backup = std::async(std::launch::async, [&] {
      const auto database = openStoreForReading(path());
      return makeBackup(**database, Backup::Kind::Asked, kNow.addSecs(60), waitOnce).has_value();
    });
    began.get_future().wait();
    QVERIFY(m_store->removeChat(1000));
    const auto changed = removeFromBackups(path(), {{1000, samples::chat(1000, 1002).createdMs}});
    erased.set_value();
    QVERIFY2(changed, qPrintable(errorOf(changed)));
    backup.wait();
    const auto backups = listBackups(path(), /*count=*/false);
    QCOMPARE(backups.size(), 2);
    for (const Backup& made : backups) {
      const auto database = openFileForReading(made.path);
      QCOMPARE((*database)->number("SELECT count(*) FROM chat WHERE id = 1000").value(), 0);
    }
  }

  void daily_isRenewedWhenItIsHoursOldAndTheStoreChanged() {
    QVERIFY(*backUpDaily(path(), {}, kNow));
    turn(4, 5, 6);
    setChanged(kNow.addSecs(-60));
    QVERIFY(!*backUpDaily(path(), {}, kNow.addSecs(5 * 3600)));
    setChanged(kNow.addSecs(60));
    QVERIFY(!*backUpDaily(path(), {}, kNow.addSecs(3600)));
    QVERIFY(*backUpDaily(path(), {}, kNow.addSecs(5 * 3600)));
    const auto backups = listBackups(path(), /*count=*/true);
    QCOMPARE(backups.size(), 1);  // The day's last one.
    QCOMPARE(backups[0].numChats, 2);
  }

  void daily_waitsForTheFirstChat() {
    QVERIFY(m_store->removeChat(1));
    QVERIFY(!*backUpDaily(path(), {}, kNow));
    QVERIFY(listBackups(path(), false).isEmpty());
    turn(4, 5, 6);
    QVERIFY(*backUpDaily(path(), {}, kNow));
  }

  void asked_makesOneOfThisMoment_orSaysThatNothingChanged() {
    QVERIFY(*backUpDaily(path(), {}, kNow));
    QVERIFY(!*backUpNow(path(), {}, kNow.addSecs(10)));
    QCOMPARE(listBackups(path(), false).size(), 1);
    turn(4, 5, 6);
    QVERIFY(*backUpNow(path(), {}, kNow.addSecs(20)));
    turn(7, 8, 9);
    QVERIFY(*backUpNow(path(), {}, kNow.addSecs(30)));
    QVERIFY(!*backUpNow(path(), {}, kNow.addSecs(40)));
    const auto backups = listBackups(path(), /*count=*/true);
    QCOMPARE(backups.size(), 3);  // The day's own stays.
    QCOMPARE(backups[0].kind, Backup::Kind::Asked);
    QCOMPARE(backups[0].numChats, 3);
    QCOMPARE(backups[1].numChats, 2);
  }

  void givenUp_endsAtOnceAndLeavesNothing() {
    fill(8'000'000);
    int asked = 0;
    const double begin = test::thread_ms();
    const auto made = backUpNow(path(), {}, kNow, [&] { return ++asked > 3; });
    const double ms = test::thread_ms() - begin;
    QVERIFY2(ms < 1000.0, qPrintable(QString::number(ms)));
    QVERIFY(!made);
    QVERIFY2(asked > 3 && asked < 10, qPrintable(QString::number(asked)));
    QVERIFY(QDir(path() + "/backups").entryList(QDir::Files | QDir::Hidden).isEmpty());
    QVERIFY(*backUpNow(path(), {}, kNow));
  }

  void restoreGivenUp_leavesTheStoreWhereItWas() {
    fill(2'000'000);
    const auto made = backUpNow(path(), {}, kNow);
    QVERIFY(made && *made);
    m_store.reset();
    const auto before = QDir(path()).entryList(QDir::Files | QDir::Hidden);
    int asked = 0;
    QVERIFY(!restoreBackup(path(), **made, [&] { return ++asked > 3; }));
    QCOMPARE(QDir(path()).entryList(QDir::Files | QDir::Hidden), before);
    QVERIFY(restoreBackup(path(), **made));
  }

  void expired_keepsDaysThenWeeks() {
    QList<Backup> backups;
    for (int day = 0; day < 60; ++day) backups.append(madeDaysAgo(day));
    const auto expired = pathsOf(expiredBackups(backups, {}, kNow));
    QCOMPARE(expired.size(), 60 - 7 - 4);
    for (int day = 0; day < 7; ++day) QVERIFY(!expired.contains(QString::number(day)));
    QVERIFY(!expired.contains("7"));  // The newest of the first week before.
    QVERIFY(expired.contains("59"));
  }

  void expired_staysWithinTheBudget() {
    QList<Backup> backups;
    for (int day = 0; day < 7; ++day) backups.append(madeDaysAgo(day, 100));
    QCOMPARE(expiredBackups(backups, {.maxBytes = 350}, kNow).size(), 4);
    QCOMPARE(expiredBackups(backups, {.maxBytes = 10}, kNow).size(), 6);  // The newest stays.
  }

  /// A fixed limit would end the backups of a store that outgrows it, or leave one of them only.
  void storeBeyondTheBudget_hasSomeBackups() {
    const BackupPolicy policy{.maxBytes = 1000};
    for (int day = 0; day < 6; ++day) {
      const auto made = backUpDaily(path(), policy, kNow.addDays(day));
      QVERIFY2(made && *made, qPrintable(errorOf(made)));
    }
    const auto numKept = listBackups(path(), false).size();
    QVERIFY2(numKept >= 3 && numKept < 6, qPrintable(QString::number(numKept)));
    turn(4, 5, 6);
    const auto asked = backUpNow(path(), policy, kNow.addDays(6));
    QVERIFY2(asked && *asked, qPrintable(errorOf(asked)));
    QVERIFY(listBackups(path(), false).size() >= 3);
  }

  void migration_keepsTheOldStore() {
    const QTemporaryDir old;
    makeVersion2(old.path());
    QVERIFY(ConversationStore::open(old.path()));
    const auto backups = listBackups(old.path(), /*count=*/true);
    QCOMPARE(backups.size(), 1);
    QCOMPARE(backups[0].kind, Backup::Kind::Migration);
    QCOMPARE(backups[0].numMessages, 2);
    const auto kept = openFileForReading(backups[0].path);
    QCOMPARE((*kept)->number("PRAGMA user_version").value(), 2);
    QVERIFY(ConversationStore::open(old.path()));  // And only once.
    QCOMPARE(listBackups(old.path(), false).size(), 1);
  }

  void restore_bringsBackWhatIsMissingAndOverwritesNothingNewer() {
    turn(4, 5, 6);
    ChatRecord gone = samples::chat(7, 0);
    gone.title = "gone";
    QVERIFY(m_store->putChat(gone));
    const auto backup = backUpDaily(path(), {}, kNow);
    QVERIFY(m_store->removeChat(7));
    QVERIFY(m_store->removeChat(4));
    ChatRecord newer = samples::chat(1, 3);
    newer.title = "newer";
    newer.activeMs += 1000;
    QVERIFY(m_store->putChat(newer));
    turn(1, 20, 21, 3);
    newer.headMessageId = 21;
    QVERIFY(m_store->putChat(newer));
    IdSource ids(m_store->highestId().value());
    const auto merged = mergeStore(path(), **backup, ids, goOn);
    QVERIFY2(merged, qPrintable(errorOf(merged)));
    QCOMPARE(merged->chatsAdded, 2);
    QCOMPARE(merged->chatsKnown, 1);
    QCOMPARE(merged->messagesAdded, 2);
    const auto chats = m_store->chats().value();
    QCOMPARE(chats.size(), 3);
    QCOMPARE(chats[0].title, QString("newer"));
    QCOMPARE(chats[0].headMessageId, RecordId{21});
    QCOMPARE(m_store->messages(1).value().size(), 4);
    // Again: everything is there.
    const auto again = mergeStore(path(), **backup, ids, goOn);
    QCOMPARE(again->chatsAdded, 0);
    QCOMPARE(again->chatsKnown, 3);
    QCOMPARE(m_store->integrityCheck().value(), QString());
  }

  void restore_bringsTheNewerStateOfAChatThatIsOlderHere() {
    const auto old = backUpDaily(path(), {}, kNow);
    turn(1, 20, 21, 3, 5000);
    const auto recent = backUpDaily(path(), {}, kNow.addDays(1));
    m_store.reset();
    QVERIFY(restoreBackup(path(), **old));
    m_store = open();
    QCOMPARE(m_store->messages(1).value().size(), 2);
    IdSource ids(m_store->highestId().value());
    const auto merged = mergeStore(path(), **recent, ids, goOn);
    QCOMPARE(merged->chatsCompleted, 1);
    QCOMPARE(merged->messagesAdded, 2);
    const auto messages = m_store->messages(1).value();
    QCOMPARE(messages.size(), 4);
    QCOMPARE(m_store->chats().value()[0].headMessageId, messages.last().id);
  }

  void diagnosis_ofAHealthyStoreAndOfNone() {
    QCOMPARE(ConversationStore::diagnose(path()).state, StoreState::Healthy);
    QCOMPARE(ConversationStore::diagnose(path() + "/none").state, StoreState::Missing);
  }

  void diagnosis_ofANewerStoreIsThatItIsNotOurs() {
    m_store.reset();
    QVERIFY((*openStore(path()))->exec("PRAGMA user_version = 99"));
    const auto diagnosis = ConversationStore::diagnose(path());
    QCOMPARE(diagnosis.state, StoreState::NotOurs);
    QVERIFY2(diagnosis.sentence.contains("99"), qPrintable(diagnosis.sentence));
  }

  void damagedStore_canBeReadIsKeptAndTheBackupTakesItsPlace() {
    for (RecordId id = 100; id < 700; id += 3) turn(id, id + 1, id + 2);
    QVERIFY(backUpDaily(path(), {}, kNow));
    turn(2000, 2001, 2002);
    const QList<int> pages = lastPagesOfMessages();
    QVERIFY(pages.size() > 1);
    m_store.reset();
    const auto before = QFileInfo(databasePath()).size();
    overwrite(pages);
    const auto diagnosis = ConversationStore::diagnose(path());
    QCOMPARE(diagnosis.state, StoreState::Damaged);
    QVERIFY(diagnosis.sentence.contains(databasePath()));
    QCOMPARE(diagnosis.backups.size(), 1);
    QCOMPARE(diagnosis.backups[0].numChats, 201);
    QVERIFY(diagnosis.isReadable);
    QVERIFY(ConversationStore::openForReading(path()));

    const auto aside = restoreBackup(path(), diagnosis.backups[0].path);
    QVERIFY2(aside, qPrintable(errorOf(aside)));
    QCOMPARE(QFileInfo(*aside).size(), before);  // As it was.
    m_store = open();
    QCOMPARE(m_store->chats().value().size(), 201);
    // What is whole is taken out of the damaged one; that some is not is no failure.
    IdSource ids(m_store->highestId().value());
    const auto merged = mergeStore(path(), *aside, ids, goOn);
    QVERIFY2(merged, qPrintable(errorOf(merged)));
    QCOMPARE(m_store->integrityCheck().value(), QString());
    QVERIFY(merged->chatsKnown > 0 && merged->chatsDamaged > 0);
    QVERIFY(m_store->chats().value().size() >= 201);
  }

  /// The store was damaged after the user had deleted a chat everywhere, and before it was done.
  void chatThatWasBeingErased_staysAway() {
    turn(100, 101, 102);
    turn(200, 201, 202);
    QVERIFY(backUpDaily(path(), {}, kNow));
    const auto firstCreatedMs = m_store->chat(1).value()->createdMs;
    const auto createdMs = m_store->chat(100).value()->createdMs;
    const auto keptMs = m_store->chat(200).value()->createdMs;
    QVERIFY(createdMs != keptMs && createdMs != firstCreatedMs);
    const QString noted = QStringLiteral("100:%1,200:17").arg(createdMs);  // 200 is another chat.
    QVERIFY(m_store->putSetting("backups.erasing", noted));
    m_store.reset();
    const auto aside = startAfresh(path());
    QVERIFY2(aside, qPrintable(errorOf(aside)));
    m_store = open();
    const auto firstMs = QStringLiteral("1:%1").arg(firstCreatedMs);
    QVERIFY(m_store->putSetting("backups.erasing", firstMs));
    IdSource ids(m_store->highestId().value());
    const auto merged = mergeStore(path(), *aside, ids, goOn);
    QVERIFY2(merged, qPrintable(errorOf(merged)));
    QCOMPARE(merged->chatsAdded, 1);
    QCOMPARE(m_store->chats().value().size(), 1);
    QCOMPARE(m_store->chats().value()[0].createdMs, keptMs);
    // The next start deletes it from the backups, and from a store that was restored from them.
    QCOMPARE(m_store->setting("backups.erasing").value().value_or(QString()),
             noted + "," + firstMs);
  }

  void damagedIndexOfChats_hidesNoChats() {
    for (RecordId id = 100; id < 160; id += 3) turn(id, id + 1, id + 2);
    QVERIFY(m_store->maintain());
    const auto chats = m_store->chats().value().size();
    QList<int> pages;
    for (const char* index : {"chat_persona", "chat_head", "chat_folder"}) pages += pagesOf(index);
    QVERIFY(pages.size() >= 3);
    m_store.reset();
    overwrite(pages);
    const auto diagnosis = ConversationStore::diagnose(path());
    QCOMPARE(diagnosis.state, StoreState::Damaged);
    QVERIFY(diagnosis.isReadable);
    QCOMPARE(diagnosis.numChats, chats);
    const auto aside = startAfresh(path());
    QVERIFY2(aside, qPrintable(errorOf(aside)));
    m_store = open();
    IdSource ids(m_store->highestId().value());
    const auto merged = mergeStore(path(), *aside, ids, goOn);
    QVERIFY2(merged, qPrintable(errorOf(merged)));
    QCOMPARE(m_store->chats().value().size(), chats);
  }

  void whatIsNoDatabase_isKeptWhenStartingAfresh() {
    m_store.reset();
    QFile file(databasePath());
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("not a database at all, but someone's");
    file.close();
    QCOMPARE(ConversationStore::diagnose(path()).state, StoreState::Damaged);
    const auto aside = startAfresh(path());
    QVERIFY(aside);
    QFile kept(*aside);
    QVERIFY(kept.open(QIODevice::ReadOnly));
    QCOMPARE(kept.readAll(), QByteArray("not a database at all, but someone's"));
    m_store = open();
    QVERIFY(m_store->chats().value().isEmpty());
  }

  void restore_thatCannotReplaceTheStore_leavesItWhereItWas() {
    const auto backup = backUpDaily(path(), {}, kNow);
    turn(4, 5, 6);
    m_store.reset();
    // The copy is gone the moment it is made: it cannot take the store's place.
    const auto restored = restoreBackup(path(), **backup, [this] {
      QFile::remove(path() + "/quire-restoring.part");
      return false;
    });
    QVERIFY(!restored);
    QCOMPARE(restored.error().code, ErrorCode::kIo);
    QCOMPARE(QDir(path()).entryList({"quire-kept-*"}), QStringList());
    m_store = open();
    QCOMPARE(m_store->chats().value().size(), 2);
  }

  void restore_thatWasCutOff_isTakenBackByTheNextStart_data() {
    QTest::addColumn<QStringList>("moved");
    QTest::newRow("before the backup took its place") << QStringList({"-wal", ""});
    QTest::newRow("between the log and the store") << QStringList({"-wal"});
  }
  void restore_thatWasCutOff_isTakenBackByTheNextStart() {
    QFETCH(QStringList, moved);
    turn(4, 5, 6);
    // As a kill leaves it: what was written last stands in the log.
    const QString folder = path() + "/killed";
    QVERIFY(QDir().mkdir(folder));
    for (const char* end : {"", "-wal"}) {
      QVERIFY(QFile::copy(databasePath() + end, folder + "/quire.db" + end));
    }
    namespace fs = std::filesystem;
    fs::last_write_time((folder + "/quire.db-wal").toStdString(),
                        fs::last_write_time((folder + "/quire.db").toStdString()));
    QVERIFY(QFile(folder + "/quire-restoring.part").open(QIODevice::WriteOnly));
    QVERIFY(QFile(folder + "/quire-kept-20200101-000000-000.db").open(QIODevice::WriteOnly));
    for (const QString& end : moved) {
      QVERIFY(QFile::rename(folder + "/quire.db" + end,
                            folder + "/quire-kept-20260102-030405-678.db" + end));
    }
    const auto store = ConversationStore::open(folder);
    QVERIFY2(store, qPrintable(errorOf(store)));
    QCOMPARE((*store)->chats().value().size(), 2);
    QCOMPARE((*store)->messages(4).value().size(), 2);
  }

  void storeThatIsMovedAway_isNotFilledFromAnOldKeptOne() {
    m_store.reset();
    QVERIFY(startAfresh(path()));
    m_store = open();
    QVERIFY(m_store->chats().value().isEmpty());
  }

  void restore_refusesADamagedBackupAndLeavesTheStore() {
    const auto backup = backUpDaily(path(), {}, kNow);
    QFile file(**backup);
    QVERIFY(file.open(QIODevice::ReadWrite));
    for (qint64 at = 8192; at < file.size(); at += 4096) {
      QVERIFY(file.seek(at));
      file.write(QByteArray(4096, '\x5a'));
    }
    file.close();
    m_store.reset();
    const auto restored = restoreBackup(path(), **backup);
    QVERIFY(!restored);
    QCOMPARE(restored.error().code, ErrorCode::kCorruptFile);
    m_store = open();
    QCOMPARE(m_store->chats().value().size(), 1);
  }

 private:
  /// Case does not count: the full-text index holds words in small letters.
  bool inBackups(const QByteArray& text) const {
    for (const Backup& backup : listBackups(path(), /*count=*/false)) {
      QFile file(backup.path);
      if (!file.open(QIODevice::ReadOnly)) qFatal("A backup cannot be read.");
      if (file.readAll().toLower().contains(text.toLower())) return true;
    }
    return false;
  }

  QString path() const { return m_folder->path(); }
  QString databasePath() const { return path() + "/quire.db"; }

  /// As if the store had been written last then.
  void setChanged(const QDateTime& when) const {
    for (const QString& name : {databasePath(), databasePath() + "-wal"}) {
      QFile file(name);
      if (!file.open(QIODevice::ReadWrite)) qFatal("%s", qPrintable(name));
      if (!file.setFileTime(when, QFile::FileModificationTime)) qFatal("No time of its own.");
    }
  }

  std::unique_ptr<ConversationStore> open() const {
    auto opened = ConversationStore::open(path());
    if (!opened) qFatal("%s", opened.error().message.c_str());
    return std::move(*opened);
  }

  void turn(RecordId chat, RecordId question, RecordId answer, RecordId parent = 0,
            qint64 later = 0) {
    ChatRecord record = samples::chat(chat, answer);
    record.activeMs += later;
    QVERIFY(m_store->beginTurn(record, samples::question(question, chat, parent),
                               samples::emptyAnswer(answer, chat, question)));
    QVERIFY(m_store->finishAnswer(samples::finishedAnswer(answer, chat, question)));
  }

  /// The last third of the pages that hold messages: the schema and the list of chats stay whole.
  QList<int> lastPagesOfMessages() const {
    Statement select(m_store->database(),
                     "SELECT pageno FROM dbstat WHERE name = 'message' AND pagetype = 'leaf' "
                     "ORDER BY path");
    const auto pages = select.all<QList<int>>();
    return pages ? pages->mid(pages->size() * 2 / 3) : QList<int>();
  }

  QList<int> pagesOf(const QString& index) const {
    Statement select(m_store->database(), "SELECT pageno FROM dbstat WHERE name = ?");
    return select.bind(index).all<QList<int>>().value_or(QList<int>());
  }

  /// As a disk does that returns other bytes; the store is closed.
  void overwrite(const QList<int>& pages) const {
    QFile file(databasePath());
    QVERIFY(file.open(QIODevice::ReadWrite));
    for (const int page : pages) {
      QVERIFY(file.seek((page - 1) * 4096));
      QCOMPARE(file.write(QByteArray(4096, '\x5a')), 4096);
    }
  }

  /// Makes the store as large as that, in records that a copy goes through one by one.
  void fill(int bytes) const {
    const auto database = openStore(path());
    QVERIFY(database);
    const QString sql =
        "INSERT INTO setting WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "LIMIT %1) SELECT 'filler ' || i, hex(randomblob(2000)) FROM n";
    QVERIFY((*database)->exec(sql.arg(bytes / 4000).toStdString()));
  }

  static void makeVersion2(const QString& folder) {
    QVERIFY(samples::runScript(folder + "/quire.db",
                               QUIRE_SOURCE_DIR "/tests/app/store/version_2.sql"));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ConversationStore> m_store;
};

QTEST_GUILESS_MAIN(TestBackups)
#include "tst_backups.moc"
