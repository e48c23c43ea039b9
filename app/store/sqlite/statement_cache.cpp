#include "app/store/sqlite/statement_cache.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

namespace quire {
namespace {

/// More than any transaction has; each takes some 5 KB.
constexpr size_t kMaxIdle = 48;

/// A pragma may act when it is prepared (https://www.sqlite.org/pragma.html).
bool mayRunAgain(const std::string& sql) {
  return !sql.starts_with("PRAGMA");
}

}  // namespace

StatementCache::StatementCache() {
  m_idle.reserve(kMaxIdle);
}

sqlite3_stmt* StatementCache::remove(const std::string& sql) {
  const auto found = std::find_if(m_idle.rbegin(), m_idle.rend(),
                                  [&](const Idle& idle) { return idle.sql == sql; });
  if (found == m_idle.rend()) return nullptr;
  sqlite3_stmt* const statement = found->statement;
  m_idle.erase(std::next(found).base());
  return statement;
}

void StatementCache::add(std::string sql, sqlite3_stmt* statement) {
  if (statement == nullptr) return;
  if (!mayRunAgain(sql)) {
    sqlite3_finalize(statement);
    return;
  }
  // Its result repeats the error of the last step, which was handled then.
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (m_idle.size() == kMaxIdle) {
    sqlite3_finalize(m_idle.front().statement);
    m_idle.erase(m_idle.begin());
  }
  m_idle.push_back({std::move(sql), statement});
}

void StatementCache::clear() {
  for (const Idle& idle : m_idle) sqlite3_finalize(idle.statement);
  m_idle.clear();
}

}  // namespace quire
