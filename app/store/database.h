#pragma once

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QString>
#include <QVariant>

#include <functional>
#include <memory>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

/// One connection to Quire's SQLite file: WAL, synchronous FULL, foreign keys, deleted data
/// overwritten. The file can be read by its owner only.
/// Thread: the one that opened it, for everything, the destructor included.
class Database {
 public:
  /// Opens or creates `folder`/quire.db; the folder is made (0700) if it is missing. With
  /// `recover`, for the one that opens it first, its structure is checked after an unclean stop,
  /// which takes time in proportion to its size. Errors: kIo (the folder or file cannot be made or
  /// written), kCorruptFile (not a database, or a damaged one), kUnsupported (another program's
  /// database, or a newer Quire's).
  static Result<std::unique_ptr<Database>> open(const QString& folder, bool recover = false);
  /// Opens `folder`/quire.db to read what is there, beside the one that writes: nothing is created,
  /// checked or migrated. Errors: kNotFound if there is no such file or nothing in it, and those of
  /// open().
  static Result<std::unique_ptr<Database>> openForReading(const QString& folder);
  /// The same for a file of any name: a backup.
  static Result<std::unique_ptr<Database>> openFileForReading(const QString& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs one statement that returns no rows.
  Result<void> exec(const QString& sql) const;
  /// The first column of a statement's first row; an invalid QVariant for none.
  Result<QVariant> scalar(const QString& sql) const;

  /// Runs `body` in one transaction: durable when this returns without an error, else undone whole.
  Result<void> transaction(const std::function<Result<void>()>& body) const;

  /// Empties the write-ahead log into the file, so that what was deleted stands in neither. Never
  /// waits: false if someone is reading, or writing.
  bool truncateLog() const;

  /// While the returned object lives, statements are given up soon after `wanted` (asked on this
  /// thread, while they run) says so; they fail with kInternal then.
  [[nodiscard]] std::shared_ptr<void> interruptWhen(std::function<bool()> wanted) const;

  /// The sentence for an error of SQLite, with the path and what to do.
  Error error(const QSqlError& sqlError) const;

  const QString& path() const { return m_path; }
  const QSqlDatabase& handle() const { return m_handle; }

 private:
  Database(QString path, const QString& connectionName);
  static Result<std::unique_ptr<Database>> connect(const QString& path, const char* options);
  bool isReadOnly() const;
  bool isStore() const;
  Result<void> configure(bool uncleanStop);
  Result<void> keepBeforeMigration() const;
  Result<void> checkOwner() const;
  Result<void> checkStructure() const;

  QString m_path;
  QString m_connectionName;
  QSqlDatabase m_handle;
};

/// One prepared statement; values are bound in the order of their question marks.
class Statement {
 public:
  Statement(const Database& database, const QString& sql);

  Statement& bind(const QString& text);
  Statement& bind(const QByteArray& blob);
  Statement& bind(qint64 number);
  Statement& bind(int number) { return bind(static_cast<qint64>(number)); }
  Statement& bind(bool flag) { return bind(static_cast<qint64>(flag)); }
  Statement& bind(double number);  ///< Not finite becomes 0: SQLite has no such numbers.
  Statement& bind(const std::optional<double>& number);
  Statement& bindReference(qint64 id);  ///< 0 becomes NULL.

  Result<void> run();
  /// run(), then `row` for each row. Errors found while stepping are returned too.
  Result<void> forEach(const std::function<void(const QSqlQuery&)>& row);
  int changedRows() const { return m_query.numRowsAffected(); }

 private:
  const Database& m_database;
  QSqlQuery m_query;
  bool m_prepared = false;
};

}  // namespace quire
