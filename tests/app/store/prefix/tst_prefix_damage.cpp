#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <ctime>
#include <memory>

#include "app/store/prefix/prefix_database.h"
#include "app/store/prefix/prefix_key.h"
#include "tests/app/store/prefix/file_content.h"
#include "tests/app/store/prefix/sample_blocks.h"
#include "tests/support/forged_database.h"
#include "tests/support/full_disk.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

constexpr PrefixOwner kPersona{PrefixOwner::Kind::kPersona, 1};
constexpr PrefixOwner kChat{PrefixOwner::Kind::kChat, 1};
constexpr int kBlocks = 12;

/// A second connection to the file, as another program's.
class Connection {
 public:
  explicit Connection(const std::filesystem::path& path) { sqlite3_open(path.c_str(), &m_handle); }
  ~Connection() { sqlite3_close(m_handle); }
  void run(const char* sql) {
    QCOMPARE(sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  }

 private:
  sqlite3* m_handle = nullptr;
};

int rounds(int few, int many) {
  return qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? many : few;
}

}  // namespace

/// Whatever becomes of the file: what is read is what was saved, and the store works again.
class TestPrefixDamage : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    quint32 seed = QRandomGenerator::system()->generate();
    if (qEnvironmentVariableIsSet("QUIRE_TEST_SEED")) {
      seed = qEnvironmentVariable("QUIRE_TEST_SEED").toUInt();
    }
    qInfo("seed %u (QUIRE_TEST_SEED repeats it)", seed);
    m_random.seed(seed);
    makeFolder();
    {
      const auto database = open();
      saveAll(*database, m_persona, kPersona);
      saveAll(*database, m_chat, kChat);
    }
    m_good = contentOf(path());
    m_goodKey = contentOf(keyPath());
    QVERIFY(m_good.size() > 2 * kBlocks * 6000);
  }

  void init() {
    makeFolder();
    write(path(), m_good);
    write(keyPath(), m_goodKey);
    m_mayReplaceAny = true;
  }

  void flippedBytes() {
    int lost = 0;
    for (int round = 0; round < rounds(200, 20'000); ++round) {
      QByteArray content = m_good;
      // Half of the rounds hit the head of the file, where its structure is.
      const int range = round % 2 ? 4096 : static_cast<int>(content.size());
      for (int flips = m_random.bounded(1, 9); flips > 0; --flips) {
        const int at = m_random.bounded(range);
        content[at] = static_cast<char>(content[at] ^ (1 << m_random.bounded(8)));
      }
      rewrite(content);
      lost += readAndRecover(round % 20 == 0);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(lost > 0);
  }

  void truncated() {
    for (int round = 0; round < rounds(60, 5'000); ++round) {
      rewrite(m_good.left(m_random.bounded(static_cast<int>(m_good.size()))));
      readAndRecover(round % 10 == 0);
      if (QTest::currentTestFailed()) return;
    }
  }

  void pagesOverwritten() {
    for (int round = 0; round < rounds(60, 5'000); ++round) {
      QByteArray content = m_good;
      const int pages = static_cast<int>(content.size()) / 16384;
      const int page = m_random.bounded(pages) * 16384;
      const int from = m_random.bounded(pages) * 16384;
      content.replace(page, 16384, m_good.mid(from, 16384));
      rewrite(content);
      readAndRecover(round % 10 == 0);
      if (QTest::currentTestFailed()) return;
    }
  }

  void forgedSchema_endsInTime_data() {
    QTest::addColumn<QString>("sql");
    QTest::newRow("very many views")
        << "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema WITH RECURSIVE n(i) AS (SELECT 1 "
           "UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT 'view', 'v' || i, 'v' || i, 0, "
           "'CREATE VIEW v' || i || ' AS SELECT 1' FROM n";
    QTest::newRow("statistics that compute")
        << "ANALYZE; DELETE FROM sqlite_stat1; INSERT INTO sqlite_stat1 WITH RECURSIVE n(i) AS "
           "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT 'block', NULL, '1' FROM "
           "n; PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE "
           "sqlite_stat1(tbl AS (instr(hex(zeroblob(5200000)),hex(zeroblob(2600000))||''1'')),idx,"
           "stat)' WHERE name = 'sqlite_stat1'";
  }
  void forgedSchema_endsInTime() {
    QFETCH(QString, sql);
    test::runForged(path(), sql.toStdString());
    expectFreshStoreInTime();
  }

  void sharedPages_areDropped() {
    test::sharePages(path(), "block");
    expectFreshStoreInTime();
  }

  void unusableFile_isReplaced_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("lines");
    QByteArray noise(200'000, '\0');
    for (char& byte : noise) byte = static_cast<char>(m_random.generate());
    QTest::newRow("empty") << QByteArray() << 0;
    QTest::newRow("random") << noise << 1;
    QTest::newRow("random after a good header") << m_good.left(100) + noise << 1;
    QTest::newRow("text") << QByteArray("This is no database.\n") << 1;
    QByteArray other = m_good;
    QTest::newRow("another application id") << other.replace(68, 4, QByteArray(4, '\7')) << 1;
  }
  void unusableFile_isReplaced() {
    QFETCH(QByteArray, content);
    QFETCH(int, lines);
    rewrite(content);
    expectFreshStore(lines);
  }

  void oursButUnusable_isReplacedInAnyPlace_data() {
    QTest::addColumn<QString>("sql");
    QTest::newRow("another version") << "PRAGMA user_version=1";
    QTest::newRow("another table") << "CREATE TABLE recipe (name TEXT)";
    QTest::newRow("a trigger") << "CREATE TRIGGER t AFTER DELETE ON block BEGIN DELETE FROM owner; "
                                  "END";
    QTest::newRow("a missing table") << "DROP TABLE owner";
  }
  void oursButUnusable_isReplacedInAnyPlace() {
    QFETCH(QString, sql);
    Connection(path()).run(sql.toUtf8().constData());
    m_mayReplaceAny = false;
    expectFreshStore(1);
  }

  void wrongRows_areDropped_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("silently");
    QTest::newRow("payload cut") << "UPDATE payload SET data = substr(data, 1, 99)" << false;
    QTest::newRow("payload empty") << "UPDATE payload SET data = x''" << false;
    QTest::newRow("payload missing") << "DELETE FROM payload" << false;
    QTest::newRow("payloads swapped")
        << "UPDATE payload SET data = (SELECT data FROM payload)" << false;
    QTest::newRow("tokens") << "UPDATE block SET tokens = zeroblob(64)" << false;
    QTest::newRow("tag") << "UPDATE block SET tag = x''" << false;
    QTest::newRow("parent") << "UPDATE block SET parent = zeroblob(32)" << false;
    QTest::newRow("parent is itself") << "UPDATE block SET parent = key" << false;
    QTest::newRow("key too short") << "UPDATE block SET key = substr(key, 1, 31)" << true;
    QTest::newRow("size below 0") << "UPDATE block SET bytes = -5" << true;
    QTest::newRow("used past all times") << "UPDATE block SET used = 0x7fffffffffffffff" << true;
    QTest::newRow("no owner") << "DELETE FROM owner" << true;
    QTest::newRow("owners of nothing") << "UPDATE owner SET block = block + 1000" << true;
    QTest::newRow("owners of another kind") << "UPDATE owner SET kind = 9" << true;
  }
  void wrongRows_areDropped() {
    QFETCH(QString, sql);
    QFETCH(bool, silently);
    Connection(path()).run(sql.toUtf8().constData());
    const auto database = open();
    QVERIFY(database->flush(10s));
    const int found = fetchable(*database, m_persona);
    QVERIFY(found == 0 || found == 1);  // The swapped payload fits one.
    QCOMPARE(m_log.size(), size_t{silently ? 0u : 1u});
    fetchable(*database, m_persona);
    fetchable(*database, m_chat);
    QCOMPARE(m_log.size(), size_t{silently ? 0u : 1u});
    saveAll(*database, m_persona, kPersona);
    QVERIFY(database->flush(10s));
    QVERIFY(fetchable(*database, m_persona) > 0);
  }

  /// Another program that can write the file but not read its key.
  void recomputedTag_isRefused() {
    const StoredBlock& block = m_persona[0];
    auto forged = block;
    forged.payload[100] ^= std::byte{1};
    const auto key = PrefixKey::ofFile(m_folder->path().toStdString() + "/forger.db");
    QVERIFY(key);
    const auto tag =
        key->tagOf(block.key, block.parent, std::as_bytes(std::span(block.tokens)), forged.payload);
    Connection(path()).run(
        ("UPDATE block SET tag = " + literal(std::as_bytes(std::span(tag))) + " WHERE id = 1; " +
         "UPDATE payload SET data = " + literal(forged.payload) + " WHERE block = 1")
            .c_str());
    expectFirstRefused();
  }

  /// Each of the two rows is one that Quire wrote.
  void swappedRows_areRefused() {
    Connection(path()).run(
        "UPDATE block SET tag = (SELECT tag FROM block WHERE id = 2) WHERE id = 1; "
        "UPDATE payload SET data = (SELECT data FROM payload WHERE block = 2) WHERE block = 1");
    expectFirstRefused();
  }

  void lostKey_dropsAllAtOnce() {
    std::filesystem::remove(keyPath());
    expectFreshStore(1);
    QVERIFY(contentOf(keyPath()) != m_goodKey);
  }

  void otherKey_readsNothing() {
    std::filesystem::remove(keyPath());
    QVERIFY(PrefixKey::ofFile(path()));
    const auto database = open();
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, m_persona), 0);
    QCOMPARE(fetchable(*database, m_chat), 0);
  }

  void keyThatIsNoKey_isReplacedInItsOwnPlaceOnly_data() {
    QTest::addColumn<bool>("mayReplaceAny");
    QTest::newRow("in the data folder") << true;
    QTest::newRow("at a path that was typed") << false;
  }
  void keyThatIsNoKey_isReplacedInItsOwnPlaceOnly() {
    QFETCH(bool, mayReplaceAny);
    write(keyPath(), "A user's own text.");
    m_mayReplaceAny = mayReplaceAny;
    if (mayReplaceAny) return expectFreshStore(1);
    const auto database = open();
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, m_persona), 0);
    QCOMPARE(m_log.size(), size_t{1});
    QCOMPARE(contentOf(keyPath()), QByteArray("A user's own text."));
  }

  void damagedBlocks_costOneLookAtTheFile() {
    Connection(path()).run("UPDATE payload SET data = x'00'");
    PrefixKeeper keeper({.path = path(), .log = [](const std::string&) {}});
    QVERIFY(keeper.open());
    int looks = 0;
    for (const auto* chain : {&m_persona, &m_chat}) {
      for (const StoredBlock& block : *chain) {
        QVERIFY(keeper.read({&block.key, 1}).empty());
        QVERIFY(keeper.isUntidy());
        keeper.tidy();
        looks += keeper.isUntidy();  // Once the file is known to be sound, only its space is left.
        while (keeper.isUntidy()) keeper.tidy();
      }
    }
    QCOMPARE(looks, 1);
    QCOMPARE(keeper.catalog().size(), size_t{0});
  }

  void leftoverLog_isNoHarm() {
    QByteArray noise(100'000, '\0');
    for (char& byte : noise) byte = static_cast<char>(m_random.generate());
    write(path().string() + "-wal", noise);
    const auto database = open();
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, m_persona), kBlocks);
  }

  void unusablePlace_isSaidOnce_data() {
    QTest::addColumn<QString>("place");
    QTest::newRow("a folder in its place") << m_folder->path() + "/folder";
    QTest::newRow("a folder that cannot be made") << "/proc/quire/prefix.db";
    QTest::newRow("a file for its folder") << m_folder->path() + "/file/prefix.db";
    QTest::newRow("a link into the void") << m_folder->path() + "/link";
  }
  void unusablePlace_isSaidOnce() {
    QFETCH(QString, place);
    QVERIFY(QDir(m_folder->path()).mkpath("folder/below"));
    write(m_folder->path().toStdString() + "/file", "x");
    QFile::link("/proc/nowhere/at/all", m_folder->path() + "/link");
    place.replace(QRegularExpression("^/.*(?=/(folder|file|link))"), m_folder->path());
    auto options = defaults();
    options.path = place.toStdString();
    options.pauseTime = 1ms;
    PrefixDatabase database(options);
    QVERIFY(database.flush(10s));
    for (int i = 0; i < 3; ++i) {
      saveAll(database, m_persona, kPersona);
      QVERIFY(database.flush(10s));
      QCOMPARE(fetchable(database, m_persona), 0);
      QTest::qSleep(3);
    }
    QCOMPARE(m_log.size(), size_t{1});
    QVERIFY(QDir(m_folder->path() + "/folder/below").exists());
  }

  void readOnlyFolder_isSaidOnce() {
    if (geteuid() == 0) QSKIP("root may write everywhere");
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::ExeOwner);
    const auto database = open();
    QVERIFY(database->flush(10s));
    saveAll(*database, samples::chain("new", 3, 6000), kPersona);
    database->flush(1s);
    QVERIFY(fetchable(*database, m_persona) >= 0);
    QVERIFY(m_log.size() <= 2);
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }

  void lockedFile_isWaitedFor() {
    Connection other(path());
    auto options = defaults();
    options.pauseTime = 50ms;
    PrefixDatabase database(options);
    QVERIFY(database.flush(10s));
    other.run("BEGIN IMMEDIATE");
    const auto blocks = samples::chain("new", 3, 6000);
    saveAll(database, blocks, kPersona);
    database.forget(kChat);
    QVERIFY(!database.flush(500ms));
    QCOMPARE(fetchable(database, m_persona), kBlocks);  // Reading goes on.
    QCOMPARE(m_log.size(), size_t{1});
    other.run("COMMIT");
    QVERIFY(database.flush(10s));
    QCOMPARE(fetchable(database, m_chat), 0);  // Forgetting is not given up.
    saveAll(database, blocks, kPersona);
    QVERIFY(database.flush(10s));
    QCOMPARE(fetchable(database, blocks), 3);
    QCOMPARE(m_log.size(), size_t{1});
  }

  void exclusivelyLockedFile_isSaidOnce() {
    Connection other(path());
    other.run("PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE; UPDATE block SET used = used");
    const auto database = open();
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, m_persona), 0);
    QCOMPARE(m_log.size(), size_t{1});
    other.run("ROLLBACK");
  }

  void fullDisk_stopsWritingNotReading_data() {
    QTest::addColumn<bool>("byLimit");
    QTest::newRow("SQLite's page limit") << false;
    QTest::newRow("the file system's limit") << true;
  }
  void fullDisk_stopsWritingNotReading() {
    QFETCH(bool, byLimit);
    auto options = defaults();
    if (!byLimit) options.maxPages = 60;
    options.pauseTime = 1s;
    const auto more = samples::chain("more", 60, 50'000);
    PrefixDatabase database(options);
    QVERIFY(database.flush(10s));
    std::unique_ptr<FullDisk> full;
    if (byLimit) full = std::make_unique<FullDisk>(1'000'000);
    saveAll(database, more, kPersona);
    QTRY_COMPARE(m_logSize.load(), 1);
    QTRY_VERIFY(!database.wants(kPersona));
    QCOMPARE(fetchable(database, m_persona), kBlocks);
    QCOMPARE(fetchable(database, m_chat), kBlocks);
    // Later there is room again: here because something else went.
    full.reset();
    database.forget(kChat);
    QVERIFY(database.flush(10s));
    QTRY_VERIFY(database.wants(kPersona));
    const auto small = samples::chain("small", 3, 6000);
    saveAll(database, small, kPersona);
    QVERIFY(database.flush(10s));
    QCOMPARE(fetchable(database, small), 3);
    QCOMPARE(fetchable(database, m_persona), kBlocks);
    QCOMPARE(m_logSize.load(), 1);
  }

  void deletedWhileOpen_isNoHarm() {
    {
      const auto database = open();
      QVERIFY(database->flush(10s));
      for (const char* suffix : {"", "-wal", "-shm"}) {
        std::filesystem::remove(path().string() + suffix);
      }
      const auto blocks = samples::chain("new", 3, 6000);
      saveAll(*database, blocks, kPersona);
      QVERIFY(database->flush(10s));
      QCOMPARE(fetchable(*database, blocks), 3);
      QVERIFY(m_log.size() <= 1);
    }
    expectFreshStore(0);
  }

  void killedWhileWriting_leavesOnlyWholeBlocks() {
    QFile::remove(QString::fromStdString(path().string()));
    const int kills = rounds(12, 500);
    int found = 0;
    for (int i = 0; i < kills; ++i) {
      QProcess process;
      process.setProcessChannelMode(QProcess::ForwardedChannels);
      process.start(PREFIX_WRITER,
                    {QString::fromStdString(path().string()), QString::number(7 * i)});
      QVERIFY(process.waitForStarted());
      QVERIFY2(!process.waitForFinished(m_random.bounded(5, 120)), "the writer ended by itself");
      process.kill();
      QVERIFY(process.waitForFinished());
      const auto database = open({400'000, 400'000});
      QVERIFY(database->flush(10s));
      for (int number = 0; number < 20; ++number) {
        const auto blocks = samples::chain("chain " + std::to_string(number), 10, 8000);
        const int whole = fetchable(*database, blocks);
        QVERIFY(whole >= 0);
        found += whole;
      }
      QVERIFY2(m_log.empty(), m_log.empty() ? "" : m_log[0].c_str());
    }
    qInfo("%d kills, %d blocks read back", kills, found);
    QVERIFY(found > kills);
  }

 private:
  /// In memory where that goes, so that hundreds of files cost little.
  void makeFolder() {
    const QString place = QFileInfo("/dev/shm").isWritable() ? "/dev/shm" : QDir::tempPath();
    m_folder = std::make_unique<QTemporaryDir>(place + "/quire-prefix-XXXXXX");
    QVERIFY(m_folder->isValid());
  }

  std::filesystem::path path() const { return m_folder->path().toStdString() + "/prefix.db"; }

  std::filesystem::path keyPath() const { return path().string() + ".key"; }

  PrefixDatabaseOptions defaults() {
    m_log.clear();
    m_logSize = 0;
    return {.path = path(),
            .budgets = {50'000'000, 50'000'000},
            .pauseTime = 60s,
            .mayReplaceAny = m_mayReplaceAny,
            .log = [this](const std::string& line) {
              m_log.push_back(line);
              ++m_logSize;
            }};
  }

  std::unique_ptr<PrefixDatabase> open(const PrefixBudgets& budgets = {50'000'000, 50'000'000}) {
    auto options = defaults();
    options.budgets = budgets;
    return std::make_unique<PrefixDatabase>(options);
  }

  static void saveAll(PrefixDatabase& database, const std::vector<StoredBlock>& blocks,
                      const PrefixOwner& owner) {
    for (const StoredBlock& block : blocks) database.save(block, owner);
  }

  static int fetchable(PrefixDatabase& database, const std::vector<StoredBlock>& blocks) {
    database.fetch(77, samples::keysOf(blocks));
    const auto fetched = database.take_fetched(10s);
    if (fetched.size() != 1) return -1;
    return samples::leadingEqual(blocks, fetched[0].blocks);
  }

  /// How many blocks are lost. `thorough`: all can be saved again.
  int readAndRecover(bool thorough) {
    const auto database = open();
    [&] {
      const int persona = fetchable(*database, m_persona);
      const int chat = fetchable(*database, m_chat);
      QVERIFY(persona >= 0 && chat >= 0);
      QVERIFY(database->flush(10s));  // A damaged file may be looked at as a whole.
      QVERIFY(m_log.size() <= 3);
      m_kept = persona + chat;
      if (!thorough) return;
      // A fetch ends at a damaged block, so that one goes at a time.
      int again = 0;
      for (int tries = 0; tries < 2 * kBlocks && again != 2 * kBlocks; ++tries) {
        saveAll(*database, m_persona, kPersona);
        saveAll(*database, m_chat, kChat);
        QVERIFY(database->flush(10s));
        again = fetchable(*database, m_persona) + fetchable(*database, m_chat);
      }
      QVERIFY(m_log.size() <= 4);
      QVERIFY2(again == 2 * kBlocks, m_log.empty() ? "no log" : m_log.back().c_str());
    }();
    return 2 * kBlocks - m_kept;
  }

  /// The first block of the persona's chain is dropped; nothing that was forged is read.
  void expectFirstRefused() {
    const auto database = open();
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, m_persona), 0);
    QCOMPARE(fetchable(*database, m_chat), kBlocks);
    QCOMPARE(m_log.size(), size_t{1});
  }

  static std::string literal(std::span<const std::byte> bytes) {
    return "x'" + to_hex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}) + "'";
  }

  void expectFreshStore(int lines) {
    const auto database = open();
    QVERIFY(database->flush(10s));
    QCOMPARE(database->stats().blocks, 0);
    QCOMPARE(m_log.size(), static_cast<size_t>(lines));
    saveAll(*database, m_chat, kChat);
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, m_chat), kBlocks);
    QCOMPARE(m_log.size(), static_cast<size_t>(lines));
  }

  void expectFreshStoreInTime() {
    const std::clock_t begin = std::clock();  // Of the store's thread too.
    expectFreshStore(1);
    QVERIFY(std::clock() - begin < 2 * CLOCKS_PER_SEC);
  }

  void rewrite(const QByteArray& content) {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(path().string() + suffix);
    }
    write(path(), content);
    write(keyPath(), m_goodKey);
  }

  const std::vector<StoredBlock> m_persona = samples::chain("persona", kBlocks, 6000);
  const std::vector<StoredBlock> m_chat = samples::chain("chat", kBlocks, 6000);
  QRandomGenerator m_random;
  QByteArray m_good;  ///< The file with both of them.
  QByteArray m_goodKey;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::vector<std::string> m_log;
  std::atomic<int> m_logSize = 0;  ///< For looking at while the store is at work.
  int m_kept = 0;
  bool m_mayReplaceAny = true;
};

QTEST_GUILESS_MAIN(TestPrefixDamage)
#include "tst_prefix_damage.moc"
