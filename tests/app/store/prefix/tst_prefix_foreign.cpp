#include <sys/stat.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

#include <sqlite3.h>
#include <memory>

#include "app/store/conversation_store.h"
#include "app/store/prefix/prefix_database.h"
#include "app/store/prefix/prefix_file.h"
#include "tests/app/store/prefix/file_content.h"
#include "tests/app/store/prefix/sample_blocks.h"
#include "tests/app/store/sample_records.h"
#include "tests/support/forged_database.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

constexpr PrefixOwner kOwner{PrefixOwner::Kind::kChat, 1};
constexpr char kUsedJournal[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

/// Another program's, which makes what the tests find.
class Connection {
 public:
  explicit Connection(const std::filesystem::path& path) { sqlite3_open(path.c_str(), &m_handle); }
  ~Connection() { sqlite3_close(m_handle); }
  void run(const char* sql) {
    QCOMPARE(sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  }
  int count(const char* sql) {
    int rows = 0;
    const auto add = [](void* sum, int, char**, char**) { return (++*static_cast<int*>(sum), 0); };
    return sqlite3_exec(m_handle, sql, add, &rows, nullptr) == SQLITE_OK ? rows : -1;
  }

 private:
  sqlite3* m_handle = nullptr;
};

}  // namespace

/// A path that someone typed may be that of anything: what is not ours keeps its bytes.
class TestPrefixForeign : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    makeFolder();
    {
      PrefixDatabase database(options(path()));
      for (const StoredBlock& block : m_blocks) database.save(block, kOwner);
    }
    m_good = contentOf(path());
    QVERIFY(m_good.size() > 2 * 16384);
  }

  void init() {
    makeFolder();
    write(path(), m_good);
  }

  void somethingElse_isLeftAsItIs_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("text") << QByteArray("This is no database.\n");
    QTest::newRow("long text") << QByteArray(50'000, 'a');
    QTest::newRow("one byte") << QByteArray(1, '\0');
    QByteArray damaged = m_good;
    QTest::newRow("our header, its first byte flipped") << damaged.replace(0, 1, "s");
    damaged = m_good;
    QTest::newRow("another application id") << damaged.replace(68, 4, "\0\0\0\7", 4);
    damaged = m_good;
    QTest::newRow("no application id") << damaged.replace(68, 4, "\0\0\0\0", 4);
  }
  void somethingElse_isLeftAsItIs() {
    QFETCH(QByteArray, content);
    replace(content);
    expectLeftAlone(path());
  }

  void conversations_areLeftAsTheyAre() {
    auto store = std::move(*ConversationStore::open(m_folder->path()));
    QVERIFY(store->putChat(samples::chat(1)));
    const std::filesystem::path database = path().parent_path() / "quire.db";
    // First with the chat in a log that is in use, then in the file.
    QVERIFY(contentOf(database.string() + "-wal").size() > 0);
    for (const char* suffix : {"", "-wal", "-shm"}) {
      expectLeftAlone(database.string() + suffix);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(store->removePersona(7));  // Empties the log: also an empty one is not to be taken.
    QCOMPARE(contentOf(database.string() + "-wal").size(), 0);
    expectLeftAlone(database.string() + "-wal");
    QVERIFY(store->putChat(samples::chat(2)));
    store.reset();
    expectLeftAlone(database);
    store = std::move(*ConversationStore::open(m_folder->path()));
    QCOMPARE(store->chats().value().size(), 2);
    QCOMPARE(store->integrityCheck().value(), QString());
  }

  void logThatAKillLeft_isLeftAsItIs() {
    const std::filesystem::path other = path().parent_path() / "notes.db";
    const std::filesystem::path copy = path().parent_path() / "copy.db";
    sqlite3* writer = nullptr;
    QCOMPARE(sqlite3_open(other.c_str(), &writer), SQLITE_OK);
    const char* sql = "PRAGMA journal_mode=WAL; CREATE TABLE note (text TEXT);";
    QCOMPARE(sqlite3_exec(writer, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    for (const char* suffix : {"", "-wal"}) {
      write(copy.string() + suffix, contentOf(other.string() + suffix));
    }
    sqlite3_close(writer);
    QVERIFY(contentOf(copy.string() + "-wal").size() > 0);
    expectLeftAlone(copy);
  }

  /// SQLite would delete the file; the cache is made anew, and its journal goes with it.
  void journalThatNamesAnotherFile_isRefusedAndDeletesNothing() {
    Connection(path()).run("PRAGMA journal_mode=DELETE");
    const std::filesystem::path victim = path().parent_path() / "victim.txt";
    write(victim, "an important file");
    test::writeBytes(path().string() + "-journal",
                     test::journalThatDeletes(path(), victim.string()));
    {
      PrefixDatabase database(options(path()));
      QVERIFY(database.flush(10s));
      QCOMPARE(database.count_stored(samples::keysOf(m_blocks)), 0);
    }
    QCOMPARE(contentOf(victim), QByteArray("an important file"));
    QCOMPARE(m_log.size(), size_t{1});
    QVERIFY2(m_log[0].find("prefix.db-journal\" names another") != std::string::npos,
             m_log[0].c_str());
  }

  void foreignJournalThatNamesAnotherFile_isLeftAsItIs() {
    replace("");
    Connection(path()).run("CREATE TABLE note (text TEXT)");
    const std::filesystem::path victim = path().parent_path() / "victim.txt";
    write(victim, "an important file");
    test::writeBytes(path().string() + "-journal",
                     test::journalThatDeletes(path(), victim.string()));
    expectLeftAlone(path());
  }

  /// Opening a pipe would wait for its other end.
  void pipesBesideACache_areLeftAsTheyAre_data() {
    QTest::addColumn<QString>("suffix");
    for (const char* suffix : {"-journal", "-wal", "-shm"}) {
      QTest::addRow("prefix.db%s", suffix) << QString(suffix);
    }
  }
  void pipesBesideACache_areLeftAsTheyAre() {
    QFETCH(QString, suffix);
    const std::string pipe = path().string() + suffix.toStdString();
    std::filesystem::remove(pipe);
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    expectLeftAlone(path());
    QVERIFY(std::filesystem::is_fifo(pipe));
  }

  void databaseOfOnePage_isLeftIfAnybodysIsInIt_data() {
    QTest::addColumn<QString>("sql");
    QTest::newRow("a view") << "CREATE VIEW v AS SELECT 'a'";
    QTest::newRow("a version") << "PRAGMA user_version=5";
    QTest::newRow("another application id") << "PRAGMA application_id=5";
    QTest::newRow("made for a log") << "PRAGMA journal_mode=WAL; PRAGMA user_version=0";
  }
  void databaseOfOnePage_isLeftIfAnybodysIsInIt() {
    QFETCH(QString, sql);
    replace("");
    Connection(path()).run(sql.toUtf8().constData());
    QCOMPARE(contentOf(path()).size(), 4096);
    expectLeftAlone(path());
  }

  void emptyDatabase_isLeftIfItsLogIsNot() {
    write(path(), bareDatabase());
    write(path().string() + "-wal", "anything");
    expectLeftAlone(path());
  }

  void emptyDatabase_isLeftIfItsJournalHoldsPages() {
    replace("");
    Connection other(path());
    other.run("CREATE VIEW v AS SELECT 'a'; BEGIN; DROP VIEW v");
    QByteArray journal = contentOf(path().string() + "-journal");
    QVERIFY(journal.size() > 4096);
    other.run("COMMIT; PRAGMA user_version=0");
    const QByteArray content = contentOf(path());
    // As it is when killed after the new page was written, before the journal was deleted.
    const std::filesystem::path copy = path().parent_path() / "copy.db";
    journal.replace(0, 12, QByteArray(kUsedJournal, 8) + QByteArray("\0\0\0\1", 4));
    write(copy, content);
    write(copy.string() + "-journal", journal);
    expectLeftAlone(copy);
    QVERIFY(QDir(m_folder->path()).mkdir("elsewhere"));
    const std::filesystem::path link = path().parent_path() / "elsewhere/link.db";
    std::filesystem::create_symlink(copy, link);
    expectLeftAlone(link);
    QCOMPARE(Connection(copy).count("SELECT * FROM v"), 1);
  }

  void emptyDatabase_isTaken_data() {
    QTest::addColumn<bool>("hasJournal");
    QTest::addColumn<QByteArray>("journal");
    const QByteArray zeros(512 - 8, '\0');
    QTest::newRow("closed") << false << QByteArray();
    QTest::newRow("with an empty journal") << true << QByteArray();
    QTest::newRow("killed while its first page was written")
        << true << QByteArray(kUsedJournal, 8) + zeros;
    QTest::newRow("killed before its journal was valid")
        << true << QByteArray(8, '\0') + zeros + QByteArray("\0\0\0\1", 4) + bareDatabase();
  }
  void emptyDatabase_isTaken() {
    QFETCH(bool, hasJournal);
    QFETCH(QByteArray, journal);
    replace(bareDatabase());
    if (hasJournal) write(path().string() + "-journal", journal);
    for (const int stored : {0, 5}) {
      PrefixDatabase database(options(path()));
      QVERIFY(database.flush(10s));
      QCOMPARE(database.count_stored(samples::keysOf(m_blocks)), stored);
      for (const StoredBlock& block : m_blocks) database.save(block, kOwner);
      QVERIFY(database.flush(10s));
      QCOMPARE(database.count_stored(samples::keysOf(m_blocks)), 5);
      QVERIFY2(m_log.empty(), m_log.empty() ? "" : m_log[0].c_str());
    }
  }

  void killedWhileBeingMade_isTaken() {
    const int kills = qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? 500 : 15;
    const QString place = QString::fromStdString(path().string());
    int empty = 0;
    for (int i = 0; i < kills; ++i) {
      for (const char* suffix : {"", "-wal", "-shm", "-journal"}) QFile::remove(place + suffix);
      QProcess process;
      process.start(PREFIX_WRITER, {place, QString::number(i)});
      QVERIFY(process.waitForStarted());
      // From when there is a file: that is short, and how long it takes till then is not known.
      while (!QFile::exists(place) && process.state() == QProcess::Running) QThread::usleep(50);
      QThread::usleep(static_cast<unsigned long>(i) * 1'000 % 15'000);
      process.kill();
      QVERIFY(process.waitForFinished());
      empty += contentOf(path()).mid(68, 4) != "QuiP";
      PrefixDatabase database(options(path()));
      QVERIFY(database.flush(10s));
      QVERIFY2(m_log.empty(), m_log.empty() ? "" : m_log[0].c_str());
    }
    qInfo("%d kills, %d before there was a table", kills, empty);
  }

  void firstPageWritten_saysWhoseItIs() {
    replace("");
    { PrefixDatabase database(options(path())); }
    const QByteArray content = contentOf(path());
    QCOMPARE(content.mid(68, 4), QByteArray("QuiP"));
    QCOMPARE(content.mid(24, 4), QByteArray("\0\0\0\2", 4));  // Changes: the tables, the log.
    QCOMPARE(content.mid(16, 2), QByteArray("\x40\0", 2));
    QCOMPARE(content.mid(64, 4), QByteArray("\0\0\0\1", 4));  // Pages can be freed.
  }

  void damagedHeader_isSaidToBeOneThatMayBeDeleted_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<bool>("mayBeDeleted");
    QTest::newRow("noise") << QByteArray(20'000, '\x5a') << true;
    QTest::newRow("cut to 60 bytes") << m_good.left(60) << true;
    QByteArray other = m_good;
    QTest::newRow("another's") << other.replace(68, 4, "Else") << false;
  }
  void damagedHeader_isSaidToBeOneThatMayBeDeleted() {
    QFETCH(QByteArray, content);
    QFETCH(bool, mayBeDeleted);
    replace(content);
    const auto checked = checkPrefixFile(path());
    QVERIFY(!checked);
    QCOMPARE(checked.error().message.find("may be deleted") != std::string::npos, mayBeDeleted);
  }

  void becameAnotherFileWhileOpen_isLeftAsItIs() {
    const QByteArray text(50'000, 'a');
    {
      PrefixDatabase database(options(path()));
      QVERIFY(database.flush(10s));
      replace(text);
      for (int round = 0; round < 3; ++round) {
        for (const StoredBlock& block : samples::chain("new", 3, 6000)) {
          database.save(block, kOwner);
        }
        database.fetch(1, samples::keysOf(m_blocks));
        QCOMPARE(database.take_fetched(10s).size(), size_t{1});
        QVERIFY(database.flush(10s));
      }
      QVERIFY(m_log.size() <= 1);
    }
    QCOMPARE(contentOf(path()), text);
    expectLeftAlone(path());
  }

 private:
  void makeFolder() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
  }

  std::filesystem::path path() const { return m_folder->path().toStdString() + "/prefix.db"; }

  PrefixDatabaseOptions options(const std::filesystem::path& place) {
    m_log.clear();
    return {.path = place, .log = [this](const std::string& line) { m_log.push_back(line); }};
  }

  /// A store there keeps nothing and says so once; the folder's files, their bytes and their
  /// permissions are as before.
  void expectLeftAlone(const std::filesystem::path& place) {
    const auto wide = QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther;
    QVERIFY(QFile::setPermissions(QString::fromStdString(place.string()), wide));
    const auto before = filesIn(*m_folder);
    {
      PrefixDatabase database(options(place));
      QVERIFY(database.flush(10s));
      QVERIFY(!database.wants(kOwner));
      for (const StoredBlock& block : m_blocks) database.save(block, kOwner);
      database.forget(kOwner);
      QCOMPARE(database.count_stored(samples::keysOf(m_blocks)), 0);
      QCOMPARE(m_log.size(), size_t{1});
      QVERIFY2(m_log[0].find(place.string()) != std::string::npos, m_log[0].c_str());
    }
    QCOMPARE(m_log.size(), size_t{1});
    const auto after = filesIn(*m_folder);
    QCOMPARE(after.keys(), before.keys());
    for (const QString& name : before.keys())
      QVERIFY2(after[name] == before[name], qPrintable(name));
  }

  /// By name: permissions and content.
  static QMap<QString, QPair<int, QByteArray>> filesIn(const QTemporaryDir& folder) {
    QMap<QString, QPair<int, QByteArray>> files;
    for (const QFileInfo& info : QDir(folder.path()).entryInfoList(QDir::Files)) {
      files[info.fileName()] = {info.permissions().toInt(),
                                contentOf(info.filePath().toStdString())};
    }
    return files;
  }

  void replace(const QByteArray& content) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(path().string() + suffix);
    }
    write(path(), content);
  }

  /// As SQLite leaves it when killed between making the file and its first table.
  static QByteArray bareDatabase() {
    QTemporaryDir folder;
    const std::filesystem::path place = folder.path().toStdString() + "/bare.db";
    Connection(place).run("PRAGMA page_size=16384; PRAGMA auto_vacuum=INCREMENTAL");
    return contentOf(place);
  }

  const std::vector<StoredBlock> m_blocks = samples::chain("a", 5, 6000);
  QByteArray m_good;  ///< The file with them.
  std::unique_ptr<QTemporaryDir> m_folder;
  std::vector<std::string> m_log;
};

QTEST_GUILESS_MAIN(TestPrefixForeign)
#include "tst_prefix_foreign.moc"
