#pragma once

#include <string>
#include <vector>

struct sqlite3_stmt;

namespace quire {

/// Prepared statements of a connection, kept for reuse: preparing a small statement costs more than
/// running it. SQLite prepares a statement again when its tables have changed.
/// Thread: one at a time, as the connection.
class StatementCache {
 public:
  StatementCache();  ///< Allocates what add() needs, so that a destructor may call it.
  ~StatementCache() { clear(); }
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  /// A statement with this text, which the caller owns; null if there is none.
  sqlite3_stmt* remove(const std::string& sql);
  /// Takes ownership, also of null. Resets the statement and clears its bindings.
  void add(std::string sql, sqlite3_stmt* statement);
  /// Finalizes all; to be called before the connection is closed.
  void clear();

 private:
  struct Idle {
    std::string sql;
    sqlite3_stmt* statement;
  };
  std::vector<Idle> m_idle;  ///< The one added last is at the end.
};

}  // namespace quire
