#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

#include "app/store/backup/backups.h"
#include "app/store/backup/store_rescue.h"
#include "app/store/database.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/kill_harness.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/must.h"

using namespace quire;
using test::must;

namespace {

/// The long form takes longer than the five minutes that Qt gives a test; read before main().
const bool kIsPatient = qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");

constexpr int kQuestions = 20;  ///< Of a chat.

bool goOn(qint64, qint64) {
  return true;
}

void putChat(ConversationStore& store, RecordId id) {
  NewChat chat{.chat = samples::chat(id, id + kQuestions)};
  for (int i = 1; i <= kQuestions; ++i) {
    MessageRecord question = samples::question(id + i, id, i == 1 ? 0 : id + i - 1);
    question.setText(QString("words of %1 ").arg(id + i).repeated(100));
    chat.messages.append(question);
  }
  if (!store.createChat(chat)) qFatal("A chat cannot be made.");
}

void copyFiles(const QString& from, const QString& to, const QStringList& names) {
  if (!QDir().mkpath(to)) qFatal("No folder can be made.");
  for (const QString& name : names) {
    if (!QFile::copy(from + name, to + name)) qFatal("No file can be copied.");
  }
}

/// A store with the chats 1000 and 2000, and 3000 in its log alone, and a backup with the first
/// two.
void makeStore(const QString& folder) {
  const QTemporaryDir made;
  {
    const auto store = must(ConversationStore::open(made.path()));
    for (const RecordId id : {1000, 2000}) putChat(*store, id);
    const QDateTime before(QDate(2026, 11, 21), QTime(9, 0));
    must(makeBackup(store->database(), Backup::Kind::Daily, before));
  }
  const auto store = must(ConversationStore::open(made.path()));
  putChat(*store, 3000);
  copyFiles(made.path(), folder, {"/quire.db", "/quire.db-wal"});
  copyFiles(made.path() + "/backups", folder + "/backups", {"/quire-20261121-090000-daily.db"});
}

/// As the window does after a start. Returns what it would say of a fault.
QString start(const QString& folder) {
  const auto store = ConversationStore::open(folder);
  if (!store) return QString::fromStdString(store.error().message);
  IdSource ids(must((*store)->highestId()));
  for (const QString& kept : storesToMerge(folder)) {
    if (!QFile::exists(kept)) return kept + " is gone";
    const auto merged = resumeMerge(folder, kept, ids, goOn);
    if (!merged) return QString::fromStdString(merged.error().message);
    forgetStoreToMerge(folder, kept);
  }
  return {};
}

/// What is killed; never returns but after its end.
int work(const QString& what, const QString& folder) {
  std::puts("begun");
  std::fflush(stdout);
  finishMoving(folder);
  if (what == "restore") must(restoreBackup(folder, listBackups(folder, false)[0].path));
  if (what == "afresh") must(startAfresh(folder));
  if (what == "backup") {
    const auto database = must(openStoreForReading(folder));
    must(makeBackup(*database, Backup::Kind::Asked, QDateTime::currentDateTime()));
  }
  if (what == "import") {
    const auto store = must(ConversationStore::open(folder));
    IdSource ids(must(store->highestId()));
    must(importJson(folder, folder + "/more.json", ids, goOn));
  }
  return start(folder).isEmpty() ? 0 : 1;
}

}  // namespace

/// SIGKILL while a backup takes the store's place, while a store is moved aside, migrated or backed
/// up, while a file comes in, and while the next start mends what the kill before left.
class TestKillRescue : public QObject {
  Q_OBJECT

 private slots:
  void killed_losesNoChat_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<int>("numChats");
    QTest::newRow("a restore") << "restore" << 3;
    QTest::newRow("a fresh start") << "afresh" << 3;
    QTest::newRow("a backup") << "backup" << 3;
    QTest::newRow("an import") << "import" << 6;
  }
  void killed_losesNoChat() {
    QFETCH(QString, what);
    QFETCH(int, numChats);
    const QTemporaryDir made;
    makeStore(made.path());
    if (what == "import") exportMore(made.path() + "/more.json");
    killAtRandom(what, made.path(), [&](const QString& folder) -> QString {
      if (what == "import") {  // A second one adds what is missing.
        const auto store = must(ConversationStore::open(folder));
        IdSource ids(must(store->highestId()));
        must(importJson(folder, folder + "/more.json", ids, goOn));
      }
      return wrongWith(folder, numChats);
    });
  }

  void killedMigration_losesNothing() {
    const QTemporaryDir made;
    QVERIFY(samples::runScript(made.path() + "/quire.db",
                               QUIRE_SOURCE_DIR "/tests/app/store/version_2.sql"));
    killAtRandom("migration", made.path(), [&](const QString& folder) -> QString {
      const auto store = must(ConversationStore::open(folder));
      if (must(store->chats()).size() != 1) return "a chat is lost";
      if (must(store->messages(must(store->chats())[0].id)).size() != 2) return "a message is lost";
      const auto backups = listBackups(folder, /*count=*/true);
      const bool isKept = std::any_of(backups.begin(), backups.end(), [](const Backup& backup) {
        return backup.numChats == 1 && backup.numMessages == 2;
      });
      return isKept ? QString() : "there is no backup of the old version";
    });
  }

 private:
  static void exportMore(const QString& file) {
    const QTemporaryDir other;
    const auto store = must(ConversationStore::open(other.path()));
    for (const RecordId id : {4000, 5000, 6000}) putChat(*store, id);
    QVERIFY(exportJson(other.path(), {}, file, goOn));
  }

  static QString wrongWith(const QString& folder, int numChats) {
    const auto store = must(ConversationStore::open(folder));
    if (const QString fault = must(store->integrityCheck()); !fault.isEmpty()) return fault;
    const auto chats = must(store->chats());
    if (chats.size() != numChats) return QString("there are %1 chats").arg(chats.size());
    for (const ChatRecord& chat : chats) {
      const auto count = must(store->messages(chat.id)).size();
      if (count != kQuestions) return QString("%1 has %2 messages").arg(chat.title).arg(count);
    }
    for (const Backup& backup : listBackups(folder, /*count=*/true)) {
      if (backup.numChats < 0) return backup.path + " cannot be opened";
    }
    const auto leftovers = QDir(folder + "/backups").entryList({"*.part*"}, QDir::Files);
    return leftovers.isEmpty() ? QString() : leftovers.first() + " was left";
  }

  /// Up to three kills, one after another, on each copy of the folder.
  static void killAtRandom(const QString& what, const QString& made,
                           const std::function<QString(const QString&)>& check) {
    QRandomGenerator random = kill::makeRandom();
    const int rounds = kill::numKills(10, 300);
    const int wholeUs = timeWhole(what, made);
    int numKilled = 0;
    for (int round = 0; round < rounds; ++round) {
      const QTemporaryDir place;
      const QString folder = place.path() + "/data";
      copyAll(made, folder);
      QString moments;
      for (int kills = random.bounded(1, 4); kills > 0; --kills) {
        const int afterUs = random.bounded(wholeUs);
        moments += QString(" %1 us").arg(afterUs);
        numKilled += runAndKill(what, folder, afterUs) ? 1 : 0;
      }
      const QString failure = start(folder);
      const QString wrong = failure.isEmpty() ? check(folder) : failure;
      QVERIFY2(wrong.isEmpty(), qPrintable("killed after" + moments + ": " + wrong));
    }
    qInfo("%d kills in %d rounds of %d ms", numKilled, rounds, wholeUs / 1000);
    QVERIFY(numKilled > rounds / 4);
  }

  /// How long it takes if it is not killed, in microseconds.
  static int timeWhole(const QString& what, const QString& made) {
    const QTemporaryDir place;
    copyAll(made, place.path() + "/data");
    QElapsedTimer timer;
    const std::unique_ptr<QProcess> process = begin(what, place.path() + "/data");
    timer.start();
    if (!process->waitForFinished(60'000) || process->exitCode() != 0) qFatal("It failed.");
    return static_cast<int>(timer.nsecsElapsed() / 1000) + 1;
  }

  /// As soon as it is about to begin its work.
  static std::unique_ptr<QProcess> begin(const QString& what, const QString& folder) {
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process->start(QCoreApplication::applicationFilePath(), {"--work", what, folder});
    while (!process->canReadLine() && process->waitForReadyRead(60'000)) {
    }
    return process;
  }

  static void copyAll(const QString& from, const QString& to) {
    copyFiles(from + '/', to + '/', QDir(from).entryList(QDir::Files));
    const QString backups = from + "/backups";
    if (!QDir(backups).exists()) return;
    copyFiles(backups + '/', to + "/backups/", QDir(backups).entryList(QDir::Files));
  }

  /// False if it had ended before.
  static bool runAndKill(const QString& what, const QString& folder, int afterUs) {
    const std::unique_ptr<QProcess> process = begin(what, folder);
    QThread::usleep(static_cast<unsigned long>(afterUs));
    process->kill();
    if (!process->waitForFinished(60'000)) qFatal("The program does not end.");
    const bool isKilled = process->exitStatus() == QProcess::CrashExit;
    if (!isKilled && process->exitCode() != 0) qFatal("The program failed.");
    return isKilled;
  }
};

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  if (argc == 4 && qstrcmp(argv[1], "--work") == 0) {
    return work(QString::fromUtf8(argv[2]), QString::fromUtf8(argv[3]));
  }
  TestKillRescue test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_kill_rescue.moc"
