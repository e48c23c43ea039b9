#include <sqlite3.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "app/store/database.h"

using namespace quire;

namespace {

int numPrepared(const Database& database) {
  int count = 0;
  sqlite3_stmt* statement = nullptr;
  while ((statement = sqlite3_next_stmt(database.handle(), statement)) != nullptr) ++count;
  return count;
}

}  // namespace

/// A statement of a text that was prepared before is not prepared again, and shows nothing of what
/// ran before.
class TestStatementCache : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const QString path = m_folder->filePath("a.db");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    const auto errorOf = [](int code, const std::string& detail) {
      return Error{ErrorCode::kInternal, std::to_string(code) + " " + detail};
    };
    auto opened = Database::open(path.toStdString(), {.errorOf = errorOf});
    QVERIFY(opened);
    m_database = std::move(opened).value();
    QVERIFY(m_database->exec("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)"));
  }
  void cleanup() { m_database.reset(); }

  void sameText_isPreparedOnce() {
    for (int i = 0; i < 100; ++i) {
      QVERIFY(Statement(*m_database, "INSERT INTO t VALUES (?)").bind(i).run());
    }
    QCOMPARE(numPrepared(*m_database), 1);
    QCOMPARE(*m_database->number("SELECT count(*) FROM t"), 103);
  }

  void manyTexts_areNotAllKept() {
    for (int i = 0; i < 1000; ++i) {
      QCOMPARE(*m_database->number("SELECT " + std::to_string(i)), i);
    }
    QVERIFY(numPrepared(*m_database) > 1);
    QVERIFY2(numPrepared(*m_database) < 100, qPrintable(QString::number(numPrepared(*m_database))));
  }

  void anUnfinishedStatement_ends() {
    const std::string sql = "SELECT x FROM t WHERE x > ? ORDER BY rowid";
    {
      Statement select(*m_database, sql);
      const auto row = select.bind(1).step();
      QVERIFY(row && *row);
      QCOMPARE(select.number(0), 2);
    }
    // A transaction of another connection needs the lock that a running statement keeps.
    QCOMPARE(sqlite3_stmt_busy(sqlite3_next_stmt(m_database->handle(), nullptr)), 0);
    Statement unbound(*m_database, sql);
    const auto none = unbound.step();
    QVERIFY(none && !*none);  // No x is greater than NULL.
    unbound.reset();
    QCOMPARE(*unbound.bind(0).all<QList<int>>(), QList<int>({1, 2, 3}));
  }

  void twoOfOneText_runAtOnce() {
    Statement outer(*m_database, "SELECT x FROM t ORDER BY rowid");
    QVERIFY(*outer.step());
    Statement inner(*m_database, "SELECT x FROM t ORDER BY rowid");
    QCOMPARE(*inner.all<QList<int>>(), QList<int>({1, 2, 3}));
    QVERIFY(*outer.step());
    QCOMPARE(outer.number(0), 2);
  }

  void aFailedStatement_worksTheNextTime() {
    QVERIFY(m_database->exec("CREATE UNIQUE INDEX u ON t (x)"));
    const std::string sql = "INSERT INTO t VALUES (?)";
    QVERIFY(!Statement(*m_database, sql).bind(3).run());
    QVERIFY(Statement(*m_database, sql).bind(4).run());
  }

  void changedTables_areSeen() {
    const std::string sql = "SELECT * FROM t WHERE x = 1";
    QCOMPARE(*Statement(*m_database, sql).first<int>(), 1);
    QVERIFY(m_database->exec("ALTER TABLE t ADD COLUMN y DEFAULT 5"));
    {
      Statement select(*m_database, sql);
      QVERIFY(*select.step());
      QCOMPARE(select.number(1), 5);
    }
    QVERIFY(m_database->exec("DROP TABLE t"));
    QVERIFY(!Statement(*m_database, sql).run());
  }

  /// Some act when they are prepared, and only then.
  void pragmas_areNotKept() {
    QVERIFY(m_database->text("PRAGMA journal_mode"));
    QCOMPARE(numPrepared(*m_database), 0);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Database> m_database;
};

QTEST_GUILESS_MAIN(TestStatementCache)
#include "tst_statement_cache.moc"
