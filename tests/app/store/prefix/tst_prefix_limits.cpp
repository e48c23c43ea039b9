#include <QTemporaryDir>
#include <QtTest>

#include <sqlite3.h>

#include <memory>

#include "app/store/prefix/prefix_file.h"
#include "app/store/prefix/prefix_table.h"
#include "tests/app/store/prefix/sample_blocks.h"

using namespace quire;

namespace {

constexpr int kBlocks = 4;
constexpr PrefixOwner kOwner{PrefixOwner::Kind::kChat, 1};

int option(const Database& file, int which) {
  int value = -1;
  sqlite3_db_config(file.handle(), which, -1, &value);
  return value;
}

}  // namespace

/// The bounds of what a file may say: of the numbers in its rows, and of its connection.
class TestPrefixLimits : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const auto table = PrefixTable::open(path(), 0);
    QVERIFY(table);
    for (const StoredBlock& block : samples::chain("limits", kBlocks)) {
      const auto row = (*table)->insert(block, 7);
      QVERIFY(row);
      QVERIFY((*table)->addOwner(*row, kOwner));
    }
  }

  void numbersOfARow_areBounded_data() {
    QTest::addColumn<QString>("set");
    QTest::addColumn<bool>("isUseful");
    QTest::newRow("largest block") << "bytes = 1 << 28" << true;
    QTest::newRow("block too large") << "bytes = (1 << 28) + 1" << false;
    QTest::newRow("block of 8 EiB") << "bytes = 0x7fffffffffffffff" << false;
    QTest::newRow("no bytes") << "bytes = 0" << false;
    QTest::newRow("negative bytes") << "bytes = -5" << false;
    QTest::newRow("first time") << "used = 0" << true;
    QTest::newRow("before all times") << "used = -1" << false;
    QTest::newRow("last time") << "used = 1 << 62" << true;
    QTest::newRow("past all times") << "used = (1 << 62) + 1" << false;
    QTest::newRow("short key") << "key = substr(key, 1, 31)" << false;
    QTest::newRow("long key") << "key = zeroblob(33)" << false;
    QTest::newRow("short parent") << "parent = substr(parent, 1, 31)" << false;
    QTest::newRow("long parent") << "parent = zeroblob(100000)" << false;
  }
  void numbersOfARow_areBounded() {
    QFETCH(QString, set);
    QFETCH(bool, isUseful);
    {
      const auto file = openPrefixFile(path(), 0);
      QVERIFY(file);
      QVERIFY((*file)->exec("UPDATE block SET " + set.toStdString() + " WHERE id = 2"));
    }
    const auto table = PrefixTable::open(path(), 0);
    QVERIFY(table);
    const auto contents = (*table)->readAll();
    QVERIFY(contents);
    QCOMPARE(contents->useless, isUseful ? std::vector<int64_t>() : std::vector<int64_t>{2});
    QCOMPARE(contents->catalog.size(), static_cast<size_t>(isUseful ? kBlocks : kBlocks - 1));
  }

  /// What a forged file could make SQLite do or allocate.
  void connection_isBounded() {
    const auto file = openPrefixFile(path(), 100);
    QVERIFY(file);
    QCOMPARE(sqlite3_limit((*file)->handle(), SQLITE_LIMIT_LENGTH, -1), 1 << 28);
    QCOMPARE(option(**file, SQLITE_DBCONFIG_DEFENSIVE), 1);
    QCOMPARE(option(**file, SQLITE_DBCONFIG_TRUSTED_SCHEMA), 0);
    const auto value = [&](const char* pragma) {
      return (*file)->number(std::string("PRAGMA ") + pragma).value();
    };
    QCOMPARE(value("temp_store"), int64_t{2});  // MEMORY: no rows in files of /tmp.
    QCOMPARE(value("cell_size_check"), int64_t{1});
    QCOMPARE(value("secure_delete"), int64_t{1});
    QCOMPARE(value("foreign_keys"), int64_t{1});
    QCOMPARE(value("max_page_count"), int64_t{100});
  }

 private:
  std::filesystem::path path() const { return m_folder->path().toStdString() + "/prefix.db"; }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestPrefixLimits)
#include "tst_prefix_limits.moc"
