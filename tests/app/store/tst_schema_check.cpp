#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ctime>

#include "app/store/backup/backups.h"
#include "app/store/conversation_store.h"
#include "app/store/schema.h"
#include "app/store/schema_check.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/forged_database.h"
#include "tests/support/forged_log.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

/// A view that never ends when it is selected from.
constexpr const char* kEndless =
    "DROP TABLE chat; CREATE VIEW chat AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL "
    "SELECT id + 1 FROM n) SELECT id FROM n WHERE id < 0";

/// SQL that is run on the file as another program does.
void runOn(const QString& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  QCOMPARE(sqlite3_open(qPrintable(path), &handle), SQLITE_OK);
  char* message = nullptr;
  const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message);
  QVERIFY2(code == SQLITE_OK, message);
  sqlite3_close(handle);
}

/// Makes a store in the empty file that a connection looks at, before it counts the tables.
int makeStoreMeanwhile(unsigned, void*, void* statement, void*) {
  auto* const looking = static_cast<sqlite3_stmt*>(statement);
  if (!std::string_view(sqlite3_sql(looking)).starts_with("SELECT count(*)")) return 0;
  sqlite3* const handle = sqlite3_db_handle(looking);
  sqlite3_trace_v2(handle, 0, nullptr, nullptr);
  sqlite3* other = nullptr;
  sqlite3_open(sqlite3_db_filename(handle, "main"), &other);
  const std::string sql = "BEGIN; PRAGMA application_id=" + std::to_string(kApplicationId) +
                          "; CREATE TABLE t (x); COMMIT";
  sqlite3_exec(other, sql.c_str(), nullptr, nullptr, nullptr);  // Unless the file is being read.
  sqlite3_close(other);
  return 0;
}

int traceNext(sqlite3* handle, char**, const sqlite3_api_routines*) {
  sqlite3_reset_auto_extension();
  return sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, &makeStoreMeanwhile, nullptr);
}

int option(const Database& database, int which) {
  int value = -1;
  sqlite3_db_config(database.handle(), which, -1, &value);
  return value;
}

}  // namespace

class TestSchemaCheck : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const auto store = ConversationStore::open(m_folder->path());
    QVERIFY(store);
    QVERIFY((*store)->beginTurn(samples::chat(1, 3), samples::question(2, 1),
                                samples::emptyAnswer(3, 1, 2)));
  }

  void storeThatIsBeingMade_isNotAnotherPrograms() {
    const QTemporaryDir folder;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&traceNext));
    const auto opened = openStore(folder.path());
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
  }

  void forgedSchema_isRefused_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("named");
    QTest::newRow("an endless view") << kEndless << "view chat";
    QTest::newRow("a trigger") << "CREATE TRIGGER t AFTER INSERT ON message BEGIN "
                                  "DELETE FROM message; END"
                               << "trigger t";
    QTest::newRow("another table") << "CREATE TABLE recipe (name TEXT)"
                                   << "table recipe";
    QTest::newRow("another index") << "CREATE INDEX i ON chat (hex(title))"
                                   << "index i";
    QTest::newRow("a missing table") << "DROP TABLE setting"
                                     << "<";
    QTest::newRow("another column") << "ALTER TABLE setting ADD COLUMN more TEXT"
                                    << "table setting";
    QTest::newRow("a computed column") << "ALTER TABLE setting ADD COLUMN more TEXT AS (hex(value))"
                                       << "table setting";
    QTest::newRow("another tokenizer")
        << "DROP TABLE chat_search; CREATE VIRTUAL TABLE chat_search USING fts5 (title)"
        << "table chat_search";
    QTest::newRow("tables without a version") << "PRAGMA user_version=0"
                                              << "table ";
    QTest::newRow("very many views")
        << "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema WITH RECURSIVE n(i) AS (SELECT 1 "
           "UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT 'view', 'v' || i, 'v' || i, 0, "
           "'CREATE VIEW v' || i || ' AS SELECT 1' FROM n"
        << "too many";
    QTest::newRow("a very long view")
        << "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, "
           "'CREATE VIEW v AS SELECT 1 /*' || hex(zeroblob(20000000)) || '*/')"
        << "too long";
    const auto statistics = [](const char* columns) {
      return QStringLiteral(
                 "ANALYZE; DELETE FROM sqlite_stat1; INSERT INTO sqlite_stat1 WITH RECURSIVE n(i) "
                 "AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT 'chat', NULL, "
                 "'1' FROM n; PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = "
                 "'CREATE TABLE sqlite_stat1(%1,idx,stat)' WHERE name = 'sqlite_stat1'")
          .arg(QLatin1String(columns));
    };
    QTest::newRow("code in a quoted name")
        << statistics("tbl \"/*\" AS (hex(idx)) CONSTRAINT \"*/\"") << "sqlite_stat1";
    QTest::newRow("statistics that compute")
        << statistics(
               "tbl \"/*\" AS (instr(hex(zeroblob(520000-length(idx))),"
               "hex(zeroblob(260000))||''1'')) CONSTRAINT \"*/\"")
        << "sqlite_stat1";
    QTest::newRow("after a NUL")
        << "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', "
           "'/* ' || char(0) || '*/ STRICT') WHERE name = 'chat'"
        << "table chat";
    QTest::newRow("a version below 0") << "PRAGMA user_version=-1"
                                       << "-1";
  }
  void forgedSchema_isRefused() {
    QFETCH(QString, sql);
    QFETCH(QString, named);
    runOn(path(), sql.toStdString());
    const double begin = test::thread_ms();
    for (const bool forReading : {false, true}) {
      const auto opened = forReading ? ConversationStore::openForReading(m_folder->path())
                                     : ConversationStore::open(m_folder->path());
      QVERIFY(!opened);
      QCOMPARE(opened.error().code, ErrorCode::kCorruptFile);
      const QString sentence = QString::fromStdString(opened.error().message);
      QVERIFY2(sentence.contains(path()) && sentence.contains(named), qPrintable(sentence));
    }
    QVERIFY(test::thread_ms() - begin < 8000.0);
  }

  void journalThatNamesAnotherFile_isRefusedAndDeletesNothing() {
    runOn(path(), "PRAGMA journal_mode=DELETE");
    const QString victim = m_folder->filePath("victim.txt");
    const QString journal = path() + "-journal";
    test::writeBytes(victim.toStdString(), "an important file");
    const std::string forged = test::journalThatDeletes(path().toStdString(), victim.toStdString());
    for (const bool forReading : {true, false}) {
      test::writeBytes(journal.toStdString(), forged);
      const auto opened = forReading ? ConversationStore::openForReading(m_folder->path())
                                     : ConversationStore::open(m_folder->path());
      QVERIFY(QFile::exists(victim));
      QVERIFY(!opened);
      QCOMPARE(opened.error().code, ErrorCode::kCorruptFile);
      const QString sentence = QString::fromStdString(opened.error().message);
      QVERIFY2(sentence.contains(journal), qPrintable(sentence));
    }
    QVERIFY(QFile::remove(journal));  // As the sentence says.
    QVERIFY(ConversationStore::open(m_folder->path()));
  }

  void journalOfAnotherState_isRefusedAndChangesNothing_data() {
    QTest::addColumn<int>("at");
    QTest::addColumn<int>("number");
    QTest::addColumn<bool>("isBackup");
    for (const bool isBackup : {false, true}) {
      const char* const end = isBackup ? ", beside a backup" : "";
      QTest::addRow("another page%s", end) << 512 << 2 << isBackup;
      QTest::addRow("fewer pages%s", end) << 16 << 3 << isBackup;
      QTest::addRow("smaller pages%s", end) << 24 << 1024 << isBackup;
      QTest::addRow("several pages%s", end) << -1 << 0 << isBackup;
    }
  }
  void journalOfAnotherState_isRefusedAndChangesNothing() {
    QFETCH(int, at);
    QFETCH(int, number);
    QFETCH(bool, isBackup);
    if (isBackup) putBackupInPlace();
    std::string forged = journalOfTheSwitch();
    if (at < 0) forged += forged.substr(512);
    if (at >= 0) forged.replace(static_cast<size_t>(at), 4, test::bigEndianBytes(number, 4));
    const QString journal = path() + "-journal";
    test::writeBytes(journal.toStdString(), forged);
    checkRefusedAndUnchanged(journal);
  }

  /// Quire was killed while it switched the file to the log.
  void journalOfTheSwitch_isRolledBack() {
    const QString journal = path() + "-journal";
    test::writeBytes(journal.toStdString(), journalOfTheSwitch());
    const auto opened = ConversationStore::open(m_folder->path());
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    QCOMPARE((*opened)->chats().value().size(), 1);
    QVERIFY(!QFile::exists(journal));
  }

  /// It was put aside in that state. A connection that only reads could not roll the journal back.
  void journalOfTheSwitch_isRolledBackBeforeAMerge() {
    const QTemporaryDir to;
    QVERIFY(ConversationStore::open(to.path()));
    test::writeBytes((path() + "-journal").toStdString(), journalOfTheSwitch());
    IdSource ids(1000);
    const auto merged = mergeStore(to.path(), path(), ids, [](qint64, qint64) { return true; });
    QVERIFY2(merged, merged ? "" : merged.error().message.c_str());
    const auto store = ConversationStore::open(to.path());
    QCOMPARE((*store)->chats().value().size(), 1);
  }

  /// A backup was copied over the file, but the log of the file before it is still there.
  void logOfAnotherFile_isNotWrittenIntoTheFile() {
    const auto root = static_cast<uint64_t>(test::runForged(
        path().toStdString(), "SELECT rootpage FROM sqlite_schema WHERE name = 'message_part'"));
    const std::string before = test::bytesOfFile(path().toStdString());
    const size_t pageBytes = test::pageBytesOf(before);
    const std::string log =
        test::logOfOnePage(root, std::string(pageBytes, '\0'), before.size() / pageBytes);
    const QString logPath = path() + "-wal";
    test::writeBytes(logPath.toStdString(), log);
    const auto opened = ConversationStore::open(m_folder->path());
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, ErrorCode::kCorruptFile);
    const QString sentence = QString::fromStdString(opened.error().message);
    QVERIFY2(sentence.contains(logPath), qPrintable(sentence));
    QVERIFY2(!sentence.contains("***") && !sentence.contains('\n'), qPrintable(sentence));
    QVERIFY(test::bytesOfFile(path().toStdString()) == before);
    QVERIFY(QFile::remove(logPath));  // As the sentence says.
    const auto again = ConversationStore::open(m_folder->path());
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QCOMPARE((*again)->chats().value().size(), 1);
  }

  /// A backup was copied over the file of a Quire that was killed. The log's page is that of the
  /// file, so that the structure alone shows nothing.
  void logBesideABackup_isRefusedAndChangesNothing() {
    putBackupInPlace();
    const std::string before = test::bytesOfFile(path().toStdString());
    const size_t pageBytes = test::pageBytesOf(before);
    const std::string log =
        test::logOfOnePage(2, before.substr(pageBytes, pageBytes), before.size() / pageBytes);
    const QString logPath = path() + "-wal";
    test::writeBytes(logPath.toStdString(), log);
    checkRefusedAndUnchanged(logPath);
  }

  void fileOfAnotherUser_isRefusedIfOthersMayWriteToIt() {
    if (geteuid() != 0) QSKIP("only root may give files away");
    const QByteArray file = QFile::encodeName(path());
    QCOMPARE(chown(file.constData(), 65534, 65534), 0);
    QVERIFY(ConversationStore::open(m_folder->path()));
    QCOMPARE(chmod(file.constData(), 0666), 0);
    const auto opened = ConversationStore::open(m_folder->path());
    QVERIFY(!opened);
    const QString sentence = QString::fromStdString(opened.error().message);
    QVERIFY2(sentence.contains(path()), qPrintable(sentence));
  }

  void endlessView_inABackupIsNotCounted() {
    {
      const auto store = ConversationStore::openForReading(m_folder->path());
      QVERIFY(makeBackup((*store)->database(), Backup::Kind::Daily, QDateTime::currentDateTime()));
    }
    const auto before = listBackups(m_folder->path(), /*count=*/true);
    QCOMPARE(before.size(), 1);
    QCOMPARE(before[0].numChats, 1);
    runOn(before[0].path, kEndless);
    const double begin = test::thread_ms();
    QCOMPARE(listBackups(m_folder->path(), /*count=*/true)[0].numChats, -1);
    QVERIFY(test::thread_ms() - begin < 8000.0);
  }

  void statisticsOfSqlite_areAllowed() {
    runOn(path(), "ANALYZE");
    QVERIFY(ConversationStore::open(m_folder->path()));
  }

  void migratedStores_pass_data() {
    QTest::addColumn<int>("version");
    for (int version = 1; version <= std::ssize(schemaMigrations()); ++version) {
      QTest::addRow("version %d", version) << version;
    }
  }
  void migratedStores_pass() {
    QFETCH(int, version);
    const QTemporaryDir folder;
    std::string sql;
    for (const Migration& step : schemaMigrations().first(static_cast<size_t>(version))) {
      for (const char* statement : step.statements) sql += std::string(statement) + ";\n";
    }
    sql += "PRAGMA application_id=" + std::to_string(kApplicationId) +
           "; PRAGMA user_version=" + std::to_string(version);
    runOn(folder.filePath("quire.db"), sql);
    for (const char* what : {"read", "migrated", "opened again"}) {
      const auto opened = *what == 'r' ? ConversationStore::openForReading(folder.path())
                                       : ConversationStore::open(folder.path());
      QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    }
  }

  void rebuiltIndex_passes() {
    {
      const auto database = openStore(m_folder->path());
      for (const char* statement : searchIndexStatements()) QVERIFY((*database)->exec(statement));
    }
    QVERIFY(ConversationStore::open(m_folder->path()));
  }

  void connections_trustNoSchemaAndWriteNoTexts() {
    for (const bool forReading : {false, true}) {
      const auto database =
          forReading ? openStoreForReading(m_folder->path()) : openStore(m_folder->path());
      QVERIFY(database);
      const QList<int> options = {
          option(**database, SQLITE_DBCONFIG_DEFENSIVE),
          option(**database, SQLITE_DBCONFIG_TRUSTED_SCHEMA),
          static_cast<int>((*database)->number("PRAGMA temp_store").value())};
      QCOMPARE(options, QList<int>({1, 0, 2}));  // 2: MEMORY
    }
  }

  void check_isFast() {
    const auto database = openStoreForReading(m_folder->path());
    QVERIFY(database);
    constexpr int kTimes = 100;
    const std::clock_t begin = std::clock();  // Of the processor: others may use it too.
    for (int i = 0; i < kTimes; ++i) QVERIFY(checkSchema(**database));
    const double ms = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / kTimes;
    qInfo("%.3f ms each", ms);
    QVERIFY(ms < 10.0);
  }

  void plainSql_dropsOnlyWhatMeansNothing_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("plain");
    QTest::newRow("space") << "a  b\n(\tc )"
                           << "a b(c)";
    QTest::newRow("line comment") << "a -- it's, \"so\"\n b"
                                  << "a b";
    QTest::newRow("comment") << "a/* b */c"
                             << "a c";
    QTest::newRow("open comment") << "a /* b"
                                  << "a";
    QTest::newRow("quoted name") << "TABLE \"a\"(b)"
                                 << "TABLE a(b)";
    QTest::newRow("comment in a quoted name") << "a \"/*\" AS (b) \"*/\" c"
                                              << "a\"/*\"AS(b)\"*/\"c";
    QTest::newRow("quotes in a quoted name") << "a \"b\"\"/*\" c -- \""
                                             << "a\"b\"\"/*\"c";
    QTest::newRow("quoted part of a word") << "TE\"XT\"b"
                                           << "TE XT b";
    QTest::newRow("open name") << "a \"b c"
                               << "a\"b c";
    QTest::newRow("text") << "DEFAULT '--  \" x''  y'"
                          << "DEFAULT'--  \" x''  y'";
    QTest::newRow("open text") << "'a  b"
                               << "'a  b";
    QTest::newRow("letters") << "é  é"
                             << "é é";
  }
  void plainSql_dropsOnlyWhatMeansNothing() {
    QFETCH(QString, sql);
    QFETCH(QString, plain);
    QCOMPARE(QString::fromStdString(plainSql(sql.toStdString())), plain);
  }

 private:
  QString path() const { return m_folder->filePath("quire.db"); }
  /// Neither the database nor what is beside it is changed, and it opens once that is removed.
  void checkRefusedAndUnchanged(const QString& beside) const {
    const std::string database = test::bytesOfFile(path().toStdString());
    const std::string other = test::bytesOfFile(beside.toStdString());
    for (const bool forReading : {true, false}) {
      const auto opened = forReading ? ConversationStore::openForReading(m_folder->path())
                                     : ConversationStore::open(m_folder->path());
      QVERIFY(!opened);
      QCOMPARE(opened.error().code, ErrorCode::kCorruptFile);
      const QString sentence = QString::fromStdString(opened.error().message);
      QVERIFY2(sentence.contains(beside), qPrintable(sentence));
      QVERIFY(test::bytesOfFile(path().toStdString()) == database);
      QVERIFY(test::bytesOfFile(beside.toStdString()) == other);
    }
    QVERIFY(QFile::remove(beside));  // As the sentence says.
    QVERIFY(ConversationStore::open(m_folder->path()));
  }
  void putBackupInPlace() const {
    const auto store = ConversationStore::openForReading(m_folder->path());
    QVERIFY(store);
    const auto made =
        makeBackup((*store)->database(), Backup::Kind::Daily, QDateTime::currentDateTime());
    QVERIFY(made);
    test::writeBytes(path().toStdString(), test::bytesOfFile(made->toStdString()));
  }
  /// What SQLite leaves when it is killed before the file, which has a log already, had one.
  std::string journalOfTheSwitch() const {
    std::string journal = test::journalThatDeletes(path().toStdString(), "");
    journal.resize(512 + 4 + test::pageBytesOf(test::bytesOfFile(path().toStdString())) + 4);
    journal.replace(512 + 4 + 18, 2, "\1\1");
    return journal;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestSchemaCheck)
#include "tst_schema_check.moc"
