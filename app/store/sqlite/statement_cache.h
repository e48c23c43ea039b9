#pragma once

#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace quire {

/// The prepared statements of a connection that nothing runs now. Preparing a small statement costs
/// more than running it. SQLite itself prepares one again whose tables have changed.
/// Thread: one at a time, as the connection.
class StatementCache {
 public:
  StatementCache();  ///< Allocates what give() needs, so that a destructor may call it.
  ~StatementCache() { clear(); }
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  /// A statement with this text, which the caller owns; null if there is none.
  sqlite3_stmt* take(const std::string& sql);
  /// Takes ownership, also of null. Ends what the statement runs and lets go of its values.
  void give(std::string sql, sqlite3_stmt* statement);
  /// Before the connection is closed.
  void clear();

 private:
  struct Idle {
    std::string sql;
    sqlite3_stmt* statement;
  };
  std::vector<Idle> m_idle;  ///< The one given last is at the end.
};

}  // namespace quire
