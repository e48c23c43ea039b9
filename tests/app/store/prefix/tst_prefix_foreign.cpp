#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>
#include <memory>

#include "app/store/conversation_store.h"
#include "app/store/prefix/prefix_database.h"
#include "tests/app/store/prefix/sample_blocks.h"
#include "tests/app/store/sample_records.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

constexpr PrefixOwner kOwner{PrefixOwner::Kind::kChat, 1};

}  // namespace

/// A path that somebody typed may be that of anything: what is not ours keeps its bytes.
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
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(path().string() + suffix);
    }
    write(path(), content);
  }

  static void write(const std::filesystem::path& path, const QByteArray& content) {
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    QCOMPARE(file.write(content), content.size());
  }

  static QByteArray contentOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  const std::vector<StoredBlock> m_blocks = samples::chain("a", 5, 6000);
  QByteArray m_good;  ///< The file with them.
  std::unique_ptr<QTemporaryDir> m_folder;
  std::vector<std::string> m_log;
};

QTEST_GUILESS_MAIN(TestPrefixForeign)
#include "tst_prefix_foreign.moc"
