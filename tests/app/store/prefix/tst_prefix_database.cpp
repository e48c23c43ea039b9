#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>
#include <sys/stat.h>
#include <algorithm>
#include <memory>

#include "app/store/prefix/prefix_database.h"
#include "tests/app/store/prefix/sample_blocks.h"
#include "tests/support/attempts.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

constexpr PrefixOwner kPersona{PrefixOwner::Kind::kPersona, 1};
constexpr PrefixOwner kOtherPersona{PrefixOwner::Kind::kPersona, 2};
constexpr PrefixOwner kChat{PrefixOwner::Kind::kChat, 1};
constexpr PrefixOwner kOtherChat{PrefixOwner::Kind::kChat, 2};

void saveAll(PrefixDatabase& database, const std::vector<StoredBlock>& blocks,
             const PrefixOwner& owner) {
  for (const StoredBlock& block : blocks) database.save(block, owner);
}

}  // namespace

/// What is saved is found again, for whom it was saved, within the budgets.
class TestPrefixDatabase : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void restart_givesBackTheSameBlocks() {
    const auto blocks = samples::chain("a", 20, 70'000);
    {
      const auto database = open();
      saveAll(*database, blocks, kPersona);
    }
    const auto database = open();
    QVERIFY(database->flush(10s));
    QCOMPARE(database->count_stored(samples::keysOf(blocks)), 20);
    QCOMPARE(fetchable(*database, blocks), 20);
    QVERIFY(m_log.empty());
  }

  void file_isReadableByItsOwnerOnly() {
    const auto database = open();
    saveAll(*database, samples::chain("a", 2), kPersona);
    QVERIFY(database->flush(10s));
    for (const char* suffix : {"", "-wal", "-shm"}) {
      struct stat status = {};
      QCOMPARE(stat((path().string() + suffix).c_str(), &status), 0);
      QCOMPARE(static_cast<int>(status.st_mode & 0777), 0600);
    }
  }

  void fetch_givesTheLeadingKeysOnly() {
    const auto database = open();
    const auto blocks = samples::chain("a", 6);
    saveAll(*database, {blocks.begin(), blocks.begin() + 2}, kPersona);
    saveAll(*database, {blocks.begin() + 3, blocks.end()}, kPersona);
    QVERIFY(database->flush(10s));
    QCOMPARE(database->count_stored(samples::keysOf(blocks)), 2);
    QCOMPARE(fetchable(*database, blocks), 2);
    QCOMPARE(fetchable(*database, samples::chain("b", 3)), 0);
  }

  void fetch_returnsEveryTicketOnce() {
    const auto database = open();
    const auto blocks = samples::chain("a", 4);
    saveAll(*database, blocks, kPersona);
    QVERIFY(database->flush(10s));
    for (uint64_t ticket = 1; ticket <= 50; ++ticket) {
      database->fetch(ticket, ticket % 2 ? samples::keysOf(blocks) : std::vector<BlockKey>());
    }
    std::vector<uint64_t> tickets;
    while (tickets.size() < 50) {
      for (const auto& fetched : database->take_fetched(10s)) {
        tickets.push_back(fetched.ticket);
        QCOMPARE(fetched.blocks.size(), size_t{fetched.ticket % 2 ? 4u : 0u});
      }
    }
    QVERIFY(std::is_sorted(tickets.begin(), tickets.end()));
    QVERIFY(database->take_fetched(10s).empty());  // Nothing is being read: no wait.
  }

  void budget_keepsWhatWasUsedLast() {
    const auto database = open({.personaBytes = 6000, .chatBytes = 0});
    const auto a = samples::chain("a", 3);
    const auto b = samples::chain("b", 3);
    const auto c = samples::chain("c", 2);
    saveAll(*database, a, kPersona);
    QVERIFY(database->flush(10s));
    saveAll(*database, b, kPersona);
    QVERIFY(database->flush(10s));
    database->touch(samples::keysOf(a), kPersona);
    saveAll(*database, c, kOtherPersona);
    QVERIFY(database->flush(10s));
    QCOMPARE(stored(*database, a), 3);
    QCOMPARE(stored(*database, b), 1);
    QCOMPARE(stored(*database, c), 2);
    QCOMPARE(database->stats().personaBytes, uint64_t{6000});
  }

  void budget_survivesARestartWithItsOrder() {
    const auto a = samples::chain("a", 3);
    const auto b = samples::chain("b", 3);
    {
      const auto database = open({.personaBytes = 6000});
      saveAll(*database, a, kPersona);
      QVERIFY(database->flush(10s));
      saveAll(*database, b, kPersona);
      QVERIFY(database->flush(10s));
      database->touch(samples::keysOf(a), kPersona);
    }
    const auto database = open({.personaBytes = 4000});
    saveAll(*database, {}, kPersona);
    database->setBudgets({.personaBytes = 4000});
    QVERIFY(database->flush(10s));
    QCOMPARE(stored(*database, a), 3);
    QCOMPARE(stored(*database, b), 1);
  }

  void chainLargerThanTheBudget_keepsItsHead() {
    const auto database = open({.personaBytes = 6000});
    const auto blocks = samples::chain("a", 20);
    for (const StoredBlock& block : blocks) {
      database->save(block, kPersona);
      QVERIFY(database->flush(10s));
    }
    QCOMPARE(stored(*database, blocks), 6);
    QCOMPARE(database->stats().blocks, 6);
  }

  void budgetOfNothing_savesNothing() {
    const auto database = open({.chatBytes = 0});
    QVERIFY(database->wants(kPersona));
    QVERIFY(!database->wants(kChat));
    saveAll(*database, samples::chain("a", 3), kChat);
    QVERIFY(database->flush(10s));
    QCOMPARE(database->stats().blocks, 0);
  }

  void budgets_canBeChanged() {
    const auto database = open();
    saveAll(*database, samples::chain("a", 9), kPersona);
    saveAll(*database, samples::chain("b", 9), kChat);
    database->setBudgets({.personaBytes = 5000, .chatBytes = 0});
    QVERIFY(database->flush(10s));
    QCOMPARE(database->stats().personaBytes, uint64_t{5000});
    QCOMPARE(database->stats().chatBytes, uint64_t{0});
    QCOMPARE(stored(*database, samples::chain("a", 9)), 5);
    QVERIFY(!database->wants(kChat));
  }

  void forget_leavesWhatOthersOwn() {
    const auto database = open();
    const auto shared = samples::chain("shared", 3);
    const auto own = samples::chain("own", 3);
    saveAll(*database, shared, kPersona);
    saveAll(*database, own, kPersona);
    QVERIFY(database->flush(10s));
    database->touch(samples::keysOf(shared), kChat);
    database->forget(kPersona);
    QVERIFY(database->flush(10s));
    QCOMPARE(stored(*database, shared), 3);
    QCOMPARE(stored(*database, own), 0);
    QCOMPARE(database->stats().personaBytes, uint64_t{0});
    QCOMPARE(database->stats().chatBytes, uint64_t{3000});
    database->forget(kChat);
    QVERIFY(database->flush(10s));
    QCOMPARE(database->stats().blocks, 0);
  }

  void forget_tellsPersonasFromChats() {
    const auto database = open();
    saveAll(*database, samples::chain("a", 3), kPersona);
    database->forget(kChat);
    QVERIFY(database->flush(10s));
    QCOMPARE(database->stats().blocks, 3);
  }

  void forget_reachesWhatIsQueuedAndWhatComesLater() {
    const auto database = open();
    const auto blocks = samples::chain("a", 40, 100'000);
    saveAll(*database, blocks, kChat);
    saveAll(*database, {blocks.begin(), blocks.begin() + 5}, kOtherChat);
    database->forget(kChat);
    saveAll(*database, blocks, kChat);
    database->touch(samples::keysOf(blocks), kChat);
    QVERIFY(!database->wants(kChat));
    QVERIFY(database->flush(10s));
    QCOMPARE(stored(*database, blocks), 5);
    QCOMPARE(database->stats().blocks, 5);
  }

  void forget_overwritesTheContent() {
    const auto blocks = samples::chain("a", 30, 40'000);
    const auto database = open();
    saveAll(*database, blocks, kChat);
    saveAll(*database, samples::chain("b", 1, 40'000), kOtherChat);
    QVERIFY(database->flush(10s));
    QVERIFY(filesContain(blocks));
    database->forget(kChat);
    QVERIFY(database->flush(10s));
    QVERIFY(!filesContain(blocks));
    QVERIFY(filesContain(samples::chain("b", 1, 40'000)));
  }

  void keepOnly_forgetsTheOthers() {
    const auto a = samples::chain("a", 3);
    const auto b = samples::chain("b", 3);
    {
      const auto database = open();
      saveAll(*database, a, kPersona);
      saveAll(*database, b, kChat);
    }
    const auto database = open();
    database->keepOnly({kChat, kOtherChat});
    QVERIFY(database->flush(10s));
    QCOMPARE(stored(*database, a), 0);
    QCOMPARE(stored(*database, b), 3);
  }

  void space_isGivenBackToTheDisk() {
    const auto database = open();
    saveAll(*database, samples::chain("a", 300, 100'000), kChat);
    saveAll(*database, samples::chain("b", 20, 100'000), kPersona);
    QVERIFY(database->flush(10s));
    database->forget(kChat);
    QVERIFY(database->flush(10s));
    QVERIFY2(std::filesystem::file_size(path()) < 13'000'000,
             qPrintable(QString::number(std::filesystem::file_size(path()))));
    QCOMPARE(fetchable(*database, samples::chain("b", 20, 100'000)), 20);
  }

  void fileWithoutAutoVacuum_comesToRest() {
    remakeWithoutAutoVacuum();
    const auto database = open();
    saveAll(*database, samples::chain("a", 120, 100'000), kChat);
    QVERIFY(database->flush(10s));
    database->forget(kChat);
    QVERIFY(database->flush(10s));
    QVERIFY(std::filesystem::file_size(path()) > 12'000'000);  // Nothing could be freed.
    saveAll(*database, samples::chain("c", 100, 100'000), kOtherChat);
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, samples::chain("c", 100, 100'000)), 100);
    QVERIFY(m_log.empty());
  }

  void discard_deletesOne() {
    const auto database = open();
    const auto blocks = samples::chain("a", 4);
    saveAll(*database, blocks, kPersona);
    QVERIFY(database->flush(10s));
    database->discard(blocks[2].key);
    QCOMPARE(database->count_stored(samples::keysOf(blocks)), 2);
    database->save(blocks[2], kPersona);
    QVERIFY(database->flush(10s));
    QCOMPARE(fetchable(*database, blocks), 4);
  }

  void queue_isBounded() {
    auto options = defaults();
    options.maxQueuedBytes = 1'000'000;
    PrefixDatabase database(options);
    QVERIFY(database.flush(10s));
    const auto blocks = samples::chain("a", 100, 300'000);
    size_t most = 0;
    for (const StoredBlock& block : blocks) {
      database.save(block, kPersona);
      most = std::max(most, database.stats().queuedBytes);
    }
    QVERIFY(most <= 1'000'000);
    QVERIFY(database.flush(10s));
    QVERIFY(database.wants(kPersona));
    QCOMPARE(database.stats().queuedBytes, size_t{0});
    database.save(samples::chain("huge", 1, 1'000'001)[0], kPersona);
    QCOMPARE(database.stats().queuedBytes, size_t{0});
  }

  void destructor_doesNotTakeLong() {
    auto options = defaults();
    options.closeTime = 0ms;
    constexpr qint64 kQuickMs = 2000;
    std::string name = "a";  // What is stored already takes no time.
    const qint64 ms = test::msOfAttempts(kQuickMs, [&] {
      auto database = std::make_unique<PrefixDatabase>(options);
      saveAll(*database, samples::chain(name += 'a', 300, 200'000), kPersona);
      database->forget(kChat);
      QElapsedTimer timer;
      timer.start();
      database.reset();
      return timer.elapsed();
    });
    QVERIFY2(ms < kQuickMs, qPrintable(QString::number(ms)));
  }

  /// Each writes while the other may hold the lock, on a busy machine longer than a write waits:
  /// then it pauses and gives the blocks up.
  void twoProcesses_mayShareTheFile() {
    auto options = defaults();
    options.budgets = {50'000'000, 50'000'000};
    options.pauseTime = 100ms;
    PrefixDatabase one(options);
    PrefixDatabase two(options);
    const auto keep = [](PrefixDatabase& database, const char* name, const PrefixOwner& owner) {
      const auto blocks = samples::chain(name, 30);
      for (int i = 0; i < 100; ++i) {
        saveAll(database, blocks, owner);
        if (database.flush(10s) && fetchable(database, blocks) == 30) return true;
        QThread::msleep(100);
      }
      return false;
    };
    QVERIFY(keep(one, "a", kPersona));
    saveAll(two, samples::chain("a", 30), kOtherPersona);  // They are the other's.
    QVERIFY(two.flush(60s));
    one.forget(kPersona);
    two.forget(kOtherPersona);
    saveAll(one, samples::chain("b", 30), kChat);
    QVERIFY(keep(two, "c", kChat));
    QVERIFY(keep(one, "b", kChat));
  }

  void threads_mayCallAtOnce() {
    const auto database = open({.personaBytes = 30'000, .chatBytes = 20'000});
    std::vector<std::thread> threads;
    for (int number = 1; number <= 3; ++number) {
      threads.emplace_back([&, number] {
        const PrefixOwner owner{
            number == 1 ? PrefixOwner::Kind::kChat : PrefixOwner::Kind::kPersona, number};
        for (int round = 0; round < 20; ++round) {
          const auto blocks = samples::chain(std::to_string(number * round % 7), 10);
          saveAll(*database, blocks, owner);
          database->fetch(static_cast<uint64_t>(round), samples::keysOf(blocks));
          database->touch(samples::keysOf(blocks), owner);
          database->take_fetched(1ms);
          database->count_stored(samples::keysOf(blocks));
          if (round % 5 == 0) database->keepOnly({owner});
          if (round % 8 == 0) database->setBudgets({30'000, 20'000});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    QVERIFY(database->flush(30s));
    QVERIFY(m_log.empty());
  }

 private:
  std::filesystem::path path() const { return m_folder->path().toStdString() + "/prefix.db"; }

  PrefixDatabaseOptions defaults() {
    return {.path = path(),
            .budgets = {50'000'000, 50'000'000},
            .log = [this](const std::string& line) { m_log.push_back(line); }};
  }

  std::unique_ptr<PrefixDatabase> open(const PrefixBudgets& budgets = {50'000'000, 50'000'000}) {
    m_log.clear();
    auto options = defaults();
    options.budgets = budgets;
    return std::make_unique<PrefixDatabase>(options);
  }

  /// An empty file with our tables that another program made.
  void remakeWithoutAutoVacuum() {
    open().reset();
    std::string tables;
    const auto add = [](void* text, int, char** columns, char**) {
      *static_cast<std::string*>(text) += columns[0] + std::string(";");
      return 0;
    };
    sqlite3* handle = nullptr;
    QCOMPARE(sqlite3_open(path().c_str(), &handle), SQLITE_OK);
    const char* select =
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL UNION ALL SELECT "
        "'PRAGMA application_id=' || application_id || ';PRAGMA user_version=' || user_version "
        "FROM pragma_application_id, pragma_user_version";
    QCOMPARE(sqlite3_exec(handle, select, add, &tables, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    std::filesystem::remove(path());
    QCOMPARE(sqlite3_open(path().c_str(), &handle), SQLITE_OK);
    tables.insert(0, "PRAGMA page_size=16384; PRAGMA auto_vacuum=NONE;");
    QCOMPARE(sqlite3_exec(handle, tables.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }

  /// Of these blocks, wherever they stand in the chain.
  static int stored(const PrefixDatabase& database, const std::vector<StoredBlock>& blocks) {
    return static_cast<int>(std::count_if(blocks.begin(), blocks.end(), [&](const auto& block) {
      return database.count_stored({&block.key, 1}) == 1;
    }));
  }

  /// How many come back, the first ones and bit for bit; -1 if they do not.
  static int fetchable(PrefixDatabase& database, const std::vector<StoredBlock>& blocks) {
    database.fetch(77, samples::keysOf(blocks));
    const auto fetched = database.take_fetched(10s);
    if (fetched.size() != 1 || fetched[0].ticket != 77) return -1;
    return samples::leadingEqual(blocks, fetched[0].blocks);
  }

  /// Whether any of the payloads is in one of the files; its beginning tells.
  bool filesContain(const std::vector<StoredBlock>& blocks) const {
    QByteArray content;
    for (const char* suffix : {"", "-wal"}) {
      QFile file(QString::fromStdString(path().string() + suffix));
      if (file.open(QIODevice::ReadOnly)) content += file.readAll();
    }
    return std::any_of(blocks.begin(), blocks.end(), [&](const StoredBlock& block) {
      // From the middle: pages of 16 KiB cut it into pieces.
      const auto* middle = reinterpret_cast<const char*>(block.payload.data()) + 20'000;
      return content.contains(QByteArray(middle, 16)) ||
             content.contains(QByteArray(middle + 9'000, 16));
    });
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::vector<std::string> m_log;
};

QTEST_GUILESS_MAIN(TestPrefixDatabase)
#include "tst_prefix_database.moc"
