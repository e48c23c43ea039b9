#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "app/store/backup/backups.h"
#include "app/store/database.h"
#include "app/store/store_writer.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/fault_vfs.h"

using namespace quire;

namespace {

namespace fs = std::filesystem;

std::unique_ptr<ConversationStore> mustOpen(const QString& folder, bool recover = true) {
  auto opened = ConversationStore::open(folder, recover);
  if (!opened) qFatal("%s", opened.error().message.c_str());
  return std::move(*opened);
}

bool hasChat(const QString& folder, RecordId id) {
  return mustOpen(folder)->chat(id).value().has_value();
}

}  // namespace

/// The clock went forward by mistake, files and backups were dated by it, and it was set back.
class TestClockBack : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  /// The store has a date in the future, and its log, which holds the last message, an earlier one.
  void interruptedMove_bringsTheLogBack() {
    const QTemporaryDir disk;
    cutAfterTheLogMoved(disk.path());
    const QString folder = disk.path() + "/data";
    QVERIFY(!QFile::exists(folder + "/quire.db-wal"));
    QVERIFY2(hasChat(folder, 2), "the log was left behind");
    QVERIFY(hasChat(folder, 1));
  }

  /// The store was written to since; its clock says that this was before the move.
  void interruptedMove_leavesAStoreThatWasUsedSince() {
    const QTemporaryDir disk;
    cutAfterTheLogMoved(disk.path());
    const QString folder = disk.path() + "/data";
    QVERIFY(mustOpen(folder, /*recover=*/false)->putChat(samples::chat(3)));
    const fs::path store = storePath(folder).toStdString();
    fs::last_write_time(store, fs::last_write_time(store) - std::chrono::hours(24 * 3650));
    QVERIFY(hasChat(folder, 3));
    QVERIFY(!hasChat(folder, 2));
    QCOMPARE(mustOpen(folder)->integrityCheck().value(), QString());
  }

  void backup_isMadeAndKeptBesideThoseOfTheFuture() {
    QVERIFY(mustOpen(path())->putChat(samples::chat(1)));
    const BackupPolicy policy{.days = 2, .weeks = 1};
    const QDateTime now(QDate(2026, 5, 5), QTime(12, 0));
    for (int day = 0; day < 30; ++day) {
      QVERIFY(backUpDaily(path(), policy, now.addYears(4).addDays(day)));
    }
    QString yesterdays;
    for (int day = 0; day < 3; ++day) {
      const auto made = backUpDaily(path(), policy, now.addDays(day));
      QVERIFY(made && *made);
      QVERIFY2(QFile::exists(**made), "it was removed as the oldest");
      QVERIFY2(day == 0 || QFile::exists(yesterdays), "those of the future take its place");
      yesterdays = **made;
    }
    // Of those of the future, the newest too.
    const auto newest = listBackups(path(), /*count=*/false).value(0).made;
    QCOMPARE(newest, now.addYears(4).addDays(29));
  }

  void expired_keepsAsManyOfTheFuture() {
    const QDateTime now(QDate(2026, 5, 5), QTime(12, 0));
    QList<Backup> backups;
    for (int day = 300; day > -7; --day) backups.append({.made = now.addDays(day), .bytes = 100});
    const auto expired = expiredBackups(backups, {.maxBytes = 1600}, now);
    QCOMPARE(expired.size(), 299 - 8);
    // Those of a day ahead may be of another time zone.
    for (const Backup& backup : expired) QVERIFY(backup.made > now.addDays(1));
    QVERIFY(expired.first().made < backups[6].made);
  }

  void expired_leavesAllTogetherNoMoreThanTheBytes() {
    const QDateTime now(QDate(2026, 5, 5), QTime(12, 0));
    QList<Backup> backups;
    for (int day = 300; day > -7; --day) backups.append({.made = now.addDays(day), .bytes = 100});
    const auto numLeft = [&](qint64 maxBytes) {
      return backups.size() - expiredBackups(backups, {.maxBytes = maxBytes}, now).size();
    };
    QCOMPARE(numLeft(1000), 10);
    QCOMPARE(numLeft(500), 6);  // The newest of those of the future stays too.
  }

  /// A computer whose clock lost its battery says 2000.
  void expired_keepsAllDaysAndWeeksIfTheClockIsFarBehind() {
    const QDateTime made(QDate(2026, 5, 5), QTime(12, 0));
    QList<Backup> backups;
    for (int day = 0; day < 60; ++day) backups.append({.made = made.addDays(-day), .bytes = 100});
    const auto expired = expiredBackups(backups, {}, made.addYears(-26));
    QCOMPARE(expired.size(), 60 - 7 - 4);
    QCOMPARE(expired.first().made, expiredBackups(backups, {}, made).first().made);
  }

  void writer_writesInItsOrder() {
    // Checkpoints are joined and kept in order by tickets, not by times.
    auto store = mustOpen(path());
    ChatRecord chat = samples::chat(1);
    chat.activeMs = 4'000'000'000'000;
    QVERIFY(store->putChat(chat));
    chat.activeMs = 1'000'000'000'000;
    chat.draft = "later, by an earlier clock";
    QVERIFY(store->putChat(chat));
    QCOMPARE(store->chat(1).value()->draft, chat.draft);
    QVERIFY(store->beginTurn(chat, samples::question(2, 1), samples::emptyAnswer(3, 1, 2)));
    MessageRecord old = samples::question(4, 1, 3);
    old.createdMs = 5;  // In 1970.
    QVERIFY(store->beginTurn(chat, old, samples::emptyAnswer(5, 1, 4)));
    const auto messages = store->messages(1).value();
    QCOMPARE(messages.size(), 4);
    for (int i = 0; i < 4; ++i) QCOMPARE(messages[i].id, 2 + i);
  }

 private:
  QString path() const { return m_folder->path(); }

  /// A restore whose power was cut when the log had its new name and the store its old one.
  void cutAfterTheLogMoved(const QString& disk) const {
    FaultVfs vfs(path().toStdString());
    const QString folder = path() + "/data";
    auto store = mustOpen(folder);
    QVERIFY(store->putChat(samples::chat(1)));
    store.reset();  // The log is moved into the file.
    store = mustOpen(folder);
    QVERIFY(store->putChat(samples::chat(2)));
    const fs::path file = storePath(folder).toStdString();
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::hours(24 * 365));
    const int before = static_cast<int>(vfs.log().size());
    QVERIFY(startAfresh(folder));
    const auto operations = vfs.log().recorded();
    size_t until = static_cast<size_t>(before);
    while (operations[until].kind != Operation::Kind::kRename) ++until;
    ++until;
    // The seed under which nothing is lost but what was not done.
    for (uint32_t seed = 0;; ++seed) {
      vfs.log().writeDisk(until, seed, disk.toStdString());
      const QStringList names = QDir(disk + "/data").entryList(QDir::Files);
      const bool isMoved = !names.filter("quire-kept").isEmpty() &&
                           !names.contains("quire.db-wal") &&
                           fs::last_write_time((disk + "/data/quire.db").toStdString()) ==
                               fs::last_write_time(file.parent_path() / names_first(folder));
      if (isMoved) return;
      QVERIFY(QDir(disk + "/data").removeRecursively());
    }
  }
  static std::string names_first(const QString& folder) {
    return QDir(folder).entryList({"quire-kept-*.db"}, QDir::Files).first().toStdString();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestClockBack)
#include "tst_clock_back.moc"
