#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "kernels/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace quire {

/// One connection to an SQLite file, without Qt: megabytes of blobs go in and out uncopied.
/// Errors: kCorruptFile (damaged, or not what the statement expects), kOutOfMemory, kIo (all else).
/// Thread: one at a time.
class SqliteFile {
 public:
  /// Opens a file that exists; an empty one is an empty database.
  static Result<std::unique_ptr<SqliteFile>> open(const std::filesystem::path& path);
  ~SqliteFile();

  /// What the first bytes of a file say (https://www.sqlite.org/fileformat.html, 1.3 and 1.6).
  struct Header {
    bool isEmpty = false;  ///< The file has no bytes.
    bool isSqlite = false;
    /// An SQLite file of one page without a table or a number of anybody's, not made for a log.
    /// What stands beside it may hold more.
    bool isBare = false;
    int64_t applicationId = 0;
  };
  /// Reads them as they stand in the file, and nothing else: its log and its locks are as before,
  /// also those of connections in this process.
  static Result<Header> readHeader(const std::filesystem::path& path);
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Runs statements without looking at their rows.
  Result<void> exec(const char* sql);
  /// The first column of the first row; 0 if there is none.
  Result<int64_t> number(const char* sql);
  /// Runs `body` in one transaction: all of it is in the file when this returns without an error,
  /// else nothing. `begin` opens it.
  Result<void> transaction(const std::function<Result<void>()>& body,
                           const char* begin = "BEGIN IMMEDIATE");

  int changedRows() const;
  int64_t lastRow() const;
  Error error() const;  ///< Of the last call that failed.
  sqlite3* handle() const { return m_handle; }

 private:
  SqliteFile(std::filesystem::path path, sqlite3* handle);

  std::filesystem::path m_path;
  sqlite3* m_handle;
};

/// One prepared statement; values are bound in the order of their question marks.
/// Invariants: what blob() and text give is valid until the next step or reset.
class SqliteStatement {
 public:
  SqliteStatement(SqliteFile& file, const char* sql);
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  SqliteStatement& bind(int64_t number);
  /// The bytes are not copied: they must stay until the statement has run.
  SqliteStatement& bind(std::span<const std::byte> blob);

  Result<bool> step();  ///< True: there is a row.
  Result<void> run();   ///< For one that returns no rows; ready to be bound again.
  void reset();         ///< Ready to be bound again.

  int64_t number(int column) const;
  std::span<const std::byte> blob(int column) const;

 private:
  SqliteFile& m_file;
  sqlite3_stmt* m_statement = nullptr;
  int m_bound = 0;
  bool m_good = false;
};

}  // namespace quire
