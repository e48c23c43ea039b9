#pragma once

#include <sqlite3.h>

#include <QString>

namespace quire {

/// Runs statements on a database as any other program could: without the store's checks. Ends the
/// test program if they fail.
inline void runPlainSql(const QString& path, const QString& sql) {
  sqlite3* database = nullptr;
  const bool done =
      sqlite3_open(path.toUtf8().constData(), &database) == SQLITE_OK &&
      sqlite3_exec(database, sql.toUtf8().constData(), nullptr, nullptr, nullptr) == SQLITE_OK;
  if (!done) qFatal("%s", sqlite3_errmsg(database));
  sqlite3_close(database);
}

}  // namespace quire
