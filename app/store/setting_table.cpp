#include "app/store/setting_table.h"

namespace quire::setting_table {

Result<std::optional<QString>> read(const Database& database, const QString& key) {
  std::optional<QString> value;
  Statement select(database, QStringLiteral("SELECT value FROM setting WHERE key = ?"));
  select.bind(key);
  auto done = select.forEach([&](const QSqlQuery& row) { value = row.value(0).toString(); });
  if (!done) return done.error();
  return value;
}

Result<void> put(const Database& database, const QString& key, const QString& value) {
  return Statement(database,
                   QStringLiteral("INSERT INTO setting (key, value) VALUES (?, ?) "
                                  "ON CONFLICT (key) DO UPDATE SET value = excluded.value"))
      .bind(key)
      .bind(value)
      .run();
}

}  // namespace quire::setting_table
