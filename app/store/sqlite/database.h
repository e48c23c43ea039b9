#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/store/sqlite/statement_cache.h"
#include "app/store/sqlite/statement_limits.h"
#include "kernels/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace quire {

/// One connection to an SQLite file. A statement that takes more steps than the file has content
/// for (StatementLimits) fails as one over a damaged file does.
/// Thread: one at a time; the statements and the destructor included.
class Database {
 public:
  struct Options {
    bool isReadOnly = false;
    int busyTimeoutMs = 5000;  ///< How long a statement waits for another connection.
    /// Makes the error of a failed call from SQLite's extended result code and message.
    std::function<Error(int code, const std::string& detail)> errorOf;
  };
  /// Opens an existing file; an empty file is an empty database.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path, Options options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements and ignores their rows.
  Result<void> exec(const std::string& sql) const;
  /// The first column of a statement's first row; 0 or empty if there is no row, or it is NULL.
  Result<int64_t> number(const std::string& sql) const;
  Result<std::string> text(const std::string& sql) const;

  /// Runs `body` in one transaction: durable when this returns without an error, else rolled back.
  /// IMMEDIATE waits for another writer at the beginning of the transaction.
  Result<void> transaction(const std::function<Result<void>()>& body,
                           const char* begin = "BEGIN IMMEDIATE") const;

  /// Moves the write-ahead log into the file and empties it, so that neither holds deleted data.
  /// Never waits: false if another connection is reading or writing.
  bool truncateLog() const;

  /// While the returned object lives, statements fail with SQLITE_INTERRUPT soon after `wanted`
  /// returns true. It is called on this thread while they run; empty: never.
  [[nodiscard]] std::shared_ptr<void> interruptWhen(std::function<bool()> wanted) const;

  int changedRows() const;     ///< By the last statement that wrote.
  int64_t lastRow() const;     ///< The id of the row that was inserted last.
  Error error() const;         ///< Of the last call that failed.
  Error endlessError() const;  ///< Of a statement that returned more than its file can hold.
  Error refusal(const std::string& detail) const;  ///< Of a value that cannot be written.
  const std::filesystem::path& path() const { return m_path; }
  sqlite3* handle() const { return m_handle; }
  StatementLimits& limits() const { return *m_limits; }
  StatementCache& statementCache() const { return m_statementCache; }

 private:
  Database(std::filesystem::path path, Options options);

  const std::filesystem::path m_path;
  const Options m_options;
  sqlite3* m_handle = nullptr;
  std::shared_ptr<StatementLimits> m_limits;  ///< None if it could not be opened.
  mutable StatementCache m_statementCache;
};

/// How values of type T are stored in a column: `static void bind(Statement&, const T&)` and
/// `static T read(const Statement&, int column)`. Specialised for other types elsewhere.
template <typename T>
struct Column;

/// One prepared statement; values are bound in the order of their question marks. A failure to
/// prepare or bind is the error of the next step.
/// Invariants: ends before its Database, which keeps what was prepared for the next statement of
/// the same text; the results of text() and blob() are valid until the next step or reset.
class Statement {
 public:
  Statement(const Database& database, std::string sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <typename T>
  Statement& bind(const T& value) {
    Column<T>::bind(*this, value);
    return *this;
  }
  void bindNull();
  void bindNumber(int64_t number);
  void bindReal(double number);  ///< A number that is not finite becomes 0.
  void bindText(std::string_view text);
  /// Unless they are copied, the bytes must stay valid until the statement has run.
  void bindBlob(std::span<const std::byte> blob, bool isCopied);

  Result<bool> step();  ///< True if there is a row, whose columns can be read.
  Result<void> run();   ///< Runs a statement without rows, and resets it.
  void reset();         ///< Makes it ready to be bound again.
  /// Runs it, calls `row` for each row, and resets it.
  Result<void> forEach(const std::function<void(const Statement& row)>& row);

  /// The first column of all rows, as a list.
  template <typename List>
  Result<List> all() {
    List values;
    auto read = forEach(
        [&](const Statement& row) { values.push_back(row.get<typename List::value_type>(0)); });
    if (!read) return read.error();
    return values;
  }
  /// The first column of the first row.
  template <typename T>
  Result<std::optional<T>> first() {
    std::optional<T> value;
    auto read = forEach([&](const Statement& row) {
      if (!value) value = row.get<T>(0);
    });
    if (!read) return read.error();
    return value;
  }

  template <typename T>
  T get(int column) const {
    return Column<T>::read(*this, column);
  }
  bool isNull(int column) const;
  int64_t number(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;

 private:
  void noteBound(int code);
  bool mayReturnMore();

  const Database& m_database;
  std::string m_sql;
  sqlite3_stmt* m_statement = nullptr;
  int m_numBound = 0;
  // Since the last reset, as StatementLimits counts.
  mutable int64_t m_bytesReturned = 0;
  int64_t m_mostReturned = StatementLimits::kAlwaysReturned;
  static constexpr int kAnyLength = std::numeric_limits<int>::max();
  int m_longest = kAnyLength;    ///< That it may read.
  std::optional<Error> m_error;  ///< Why it cannot be run.
};

template <std::integral T>
struct Column<T> {
  static void bind(Statement& to, T number) { to.bindNumber(static_cast<int64_t>(number)); }
  static T read(const Statement& row, int column) { return static_cast<T>(row.number(column)); }
};

template <>
struct Column<double> {
  static void bind(Statement& to, double number) { to.bindReal(number); }
  static double read(const Statement& row, int column) { return row.real(column); }
};

template <>
struct Column<std::span<const std::byte>> {
  static void bind(Statement& to, std::span<const std::byte> blob) { to.bindBlob(blob, false); }
};

}  // namespace quire
