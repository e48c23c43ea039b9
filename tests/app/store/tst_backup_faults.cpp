#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>

#include <memory>

#include "app/store/backup/backups.h"
#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/full_disk.h"

using namespace quire;

namespace {

const QDateTime kNow(QDate(2026, 11, 21), QTime(9, 0));

void mustWrite(const QString& path, const QByteArray& content) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
    qFatal("The file cannot be written.");
  }
}

}  // namespace

/// Backups on a disk that refuses them, of a store that is not migrated, and that are damaged.
class TestBackupFaults : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  /// Not the store, which SQLite names.
  void copyThatCannotBeWritten_isNamed() {
    const auto store = makeStore(1'000'000);
    {
      const FullDisk full(400'000);
      const auto made = makeBackup(store->database(), Backup::Kind::Asked, kNow);
      QVERIFY(!made);
      QCOMPARE(made.error().code, ErrorCode::kIo);
      const auto sentence = QString::fromStdString(made.error().message);
      QVERIFY2(sentence.contains(path() + "/backups/") && sentence.contains("Make room"),
               qPrintable(sentence));
      QVERIFY2(!sentence.contains("quire.db"), qPrintable(sentence));
    }
    QVERIFY(makeBackup(store->database(), Backup::Kind::Asked, kNow));
  }

  /// Each start tries it, and each would leave a copy of the store.
  void failingMigration_keepsOneCopy() {
    QVERIFY(samples::runScript(path() + "/quire.db",
                               QUIRE_SOURCE_DIR "/tests/app/store/version_2.sql"));
    setChatOfAnswer(99);  // Which does not exist.
    for (int day = 1; day < 4; ++day) {
      QVERIFY(!ConversationStore::open(path()));
      dateCopies(day);
      QCOMPARE(listBackups(path(), false).size(), 1);
    }
    setChatOfAnswer(98);
    QVERIFY(!ConversationStore::open(path()));
    QCOMPARE(listBackups(path(), false).size(), 2);  // It has changed in between.
  }

  void erasing_countsTheBackupsThatStay() {
    const auto store = makeStore(10);
    QStringList paths;
    for (int day = 0; day < 3; ++day) {
      paths.append(*makeBackup(store->database(), Backup::Kind::Daily, kNow.addDays(day)));
    }
    mustWrite(paths[0], "unreadable");
    mustWrite(paths[2], "unreadable");
    const QList<ErasedChat> chats = {{1, samples::chat(1).createdMs}};
    const auto erased = removeFromBackups(path(), chats);
    QVERIFY(!erased);
    const auto sentence = QString::fromStdString(erased.error().message);
    QVERIFY2(sentence.contains("2 backups") && sentence.contains(paths[2]), qPrintable(sentence));
    // One that goes meanwhile does not stay.
    QVERIFY(QFile::remove(paths[0]));
    const auto removeIt = [&](int, int) { QFile::remove(paths[2]); };
    QCOMPARE(removeFromBackups(path(), chats, {}, removeIt).value(), 0);
  }

  /// Names and sizes are as easily forged as made by a copy that was cut off.
  void filesThatAreNoBackups_supersedeNone_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("sparse") << "202611%1-235959-asked" << (qint64{1} << 40) << QByteArray();
    QTest::newRow("sparse with a header")
        << "202611%1-235959-daily" << (qint64{1} << 40) << headerOf(1 << 28);
    QTest::newRow("few bytes") << "202611%1-230000-daily" << qint64{7} << QByteArray("garbage");
    QTest::newRow("header alone") << "202611%1-230000-migration" << qint64{4096} << headerOf(1);
  }
  void filesThatAreNoBackups_supersedeNone() {
    QFETCH(QString, name);
    QFETCH(qint64, bytes);
    QFETCH(QByteArray, content);
    const auto store = makeStore(10);
    QStringList paths;
    for (int day = 0; day < 3; ++day) {
      paths.append(*makeBackup(store->database(), Backup::Kind::Daily, kNow.addDays(day)));
    }
    for (int day = 21; day < 26; ++day) {
      paths.append(QString(path() + "/backups/quire-" + name + ".db").arg(day));
      mustWrite(paths.last(), content);
      QVERIFY(QFile::resize(paths.last(), bytes));
    }
    // On a day that has such a file.
    const auto made = backUpDaily(path(), {.days = 4, .weeks = 0}, kNow.addDays(3));
    QVERIFY2(made && *made, made ? "none was due" : made.error().message.c_str());
    for (const QString& kept : paths) QVERIFY2(QFile::exists(kept), qPrintable(kept));
    // One that could be restored takes a day, and the oldest goes.
    QVERIFY(backUpDaily(path(), {.days = 4, .weeks = 0}, kNow.addDays(4)).value());
    QVERIFY(!QFile::exists(paths[0]) && QFile::exists(paths[1]));
  }

  void backUpNow_isNotKeptFromItsComparisonByGarbage() {
    const auto store = makeStore(10);
    QVERIFY(*backUpNow(path(), {}, kNow));
    mustWrite(path() + "/backups/quire-20261122-090000-asked.db", "garbage");
    QVERIFY(!*backUpNow(path(), {}, kNow.addSecs(60)));
    QCOMPARE(listBackups(path(), false).size(), 2);
  }

  /// The folder may be a link to one with files of the user's.
  void cutOffCopies_areRemovedByTheirExactNames() {
    const QString folder = m_folder->filePath("backups/");
    QVERIFY(QDir().mkpath(folder));
    const QStringList ours = {"erasing.part", "erasing.part-journal", "unfinished.part",
                              "unfinished.part-wal", "unfinished.part-shm"};
    const QStringList others = {"erasing.part.mine", "unfinished.part-2", "unfinished.parts"};
    for (const QString& name : ours + others) mustWrite(folder + name, "text");
    removeCutOffCopies(path());
    QCOMPARE(QDir(folder).entryList(QDir::Files, QDir::Name), others);
  }

  void veryManyErasedChats_areTheLastOnes() {
    QString text = "1:1,2:two,3,:,";
    for (int i = 1; i <= 150'000; ++i) text += QString::number(i) + ":7,";
    const auto chats = erasedChats(text);
    QCOMPARE(chats.size(), 100'000);
    QCOMPARE(chats.first(), (ErasedChat{50'001, 7}));
    QCOMPARE(chats.last(), (ErasedChat{150'000, 7}));
    QCOMPARE(erasedChats("1:1,2:two,3,:,4:5"), (QList<ErasedChat>{{1, 1}, {4, 5}}));
  }

 private:
  QString path() const { return m_folder->path(); }

  /// With one chat, whose question has so many characters.
  std::unique_ptr<ConversationStore> makeStore(int numCharacters) const {
    auto store = ConversationStore::open(path());
    if (!store) qFatal("%s", store.error().message.c_str());
    MessageRecord question = samples::question(2, 1);
    question.setText(QString(numCharacters, 'x'));
    const auto begun =
        (*store)->beginTurn(samples::chat(1, 3), question, samples::emptyAnswer(3, 1, 2));
    if (!begun) qFatal("%s", begun.error().message.c_str());
    return std::move(*store);
  }

  void setChatOfAnswer(int chat) const {
    const auto database = samples::openAnyFile(path() + "/quire.db");
    const std::string sql = "UPDATE message SET chat_id = " + std::to_string(chat);
    QVERIFY(database->exec("PRAGMA foreign_keys=OFF; " + sql + " WHERE id = 4"));
  }

  /// The header of a database of so many pages of 4096 bytes, and nothing else.
  static QByteArray headerOf(quint32 numPages) {
    QByteArray header = QByteArray("SQLite format 3", 16).leftJustified(100, '\0');
    header[16] = 0x10;
    qToBigEndian(numPages, header.data() + 28);
    return header;
  }

  /// As if the copies had been made on that day: their names have the time.
  void dateCopies(int day) const {
    for (const Backup& backup : listBackups(path(), false)) {
      const QString name = QString("/backups/quire-2026010%1-000000-migration.db").arg(day);
      QVERIFY(backup.kind == Backup::Kind::Migration);
      QVERIFY(backup.path == path() + name || QFile::rename(backup.path, path() + name));
    }
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestBackupFaults)
#include "tst_backup_faults.moc"
