#pragma once

#include "app/store/database.h"
#include "app/store/fields.h"

namespace quire {

/// Ids as a column holds them: i32, little endian.
QByteArray toBlob(const QList<qint32>& tokens);
QList<qint32> fromBlob(const QByteArray& blob);

// How a value stands in its column. A status that no known version writes reads as Interrupted.
Statement& bindValue(Statement& statement, const GenerationSettings& settings);
Statement& bindValue(Statement& statement, const QList<qint32>& tokens);
Statement& bindValue(Statement& statement, const MessageRole& role);
Statement& bindValue(Statement& statement, MessageStatus status);
Statement& bindValue(Statement& statement, quint64 bits);
template <typename T>
Statement& bindValue(Statement& statement, const T& value) {
  return statement.bind(value);
}

void readValue(const QVariant& column, GenerationSettings& settings);
void readValue(const QVariant& column, QList<qint32>& tokens);
void readValue(const QVariant& column, MessageRole& role);
void readValue(const QVariant& column, MessageStatus& status);
void readValue(const QVariant& column, quint64& bits);
template <typename T>
void readValue(const QVariant& column, T& value) {
  value = column.value<T>();
}

/// "id, title, ...", the columns in the order of the fields.
template <typename Record>
QString columnList() {
  QStringList columns;
  forEachField<Record>([&](const auto& field) { columns.append(QLatin1String(field.column)); });
  return columns.join(QLatin1String(", "));
}

/// The record of a row that begins with columnList().
template <typename Record>
Record recordFrom(const QSqlQuery& row) {
  Record record;
  int column = 0;
  forEachField<Record>(
      [&](const auto& field) { readValue(row.value(column++), record.*field.member); });
  return record;
}

/// `SELECT columns FROM table` and `tail`, which may bind one id.
template <typename Record>
Result<QList<Record>> readRecords(const Database& database, const char* tail,
                                  std::optional<RecordId> id = {}) {
  QList<Record> records;
  Statement select(database, QStringLiteral("SELECT %1 FROM %2 %3")
                                 .arg(columnList<Record>(), QLatin1String(Fields<Record>::kTable),
                                      QLatin1String(tail)));
  if (id) select.bind(*id);
  auto read =
      select.forEach([&](const QSqlQuery& row) { records.append(recordFrom<Record>(row)); });
  if (!read) return read.error();
  return records;
}

template <typename Record>
std::optional<Record> firstOf(QList<Record> records) {
  if (records.isEmpty()) return std::nullopt;
  return std::move(records.first());
}

template <typename Record>
Statement& bindAll(Statement& statement, const Record& record) {
  forEachField<Record>([&](const auto& field) { bindValue(statement, record.*field.member); });
  return statement;
}

template <typename Record>
QString insertSql() {
  QStringList values;
  forEachField<Record>([&](const auto& field) { values.append(QLatin1String(field.value)); });
  return QStringLiteral("INSERT INTO %1 (%2) VALUES (%3)")
      .arg(QLatin1String(Fields<Record>::kTable), columnList<Record>(),
           values.join(QLatin1String(", ")));
}

/// Inserts the record, or replaces the one with its key.
template <typename Record>
Result<void> putRecord(const Database& database, const Record& record) {
  QStringList updates;
  forEachField<Record>([&](const auto& field) {
    updates.append(QStringLiteral("%1 = excluded.%1").arg(QLatin1String(field.column)));
  });
  updates.removeFirst();
  Statement put(database, insertSql<Record>() +
                              QStringLiteral(" ON CONFLICT (%1) DO UPDATE SET %2")
                                  .arg(QLatin1String(std::get<0>(Fields<Record>::kAll).column),
                                       updates.join(QLatin1String(", "))));
  return bindAll(put, record).run();
}

template <typename Record>
Result<void> removeRecord(const Database& database, RecordId id) {
  return Statement(database, QStringLiteral("DELETE FROM %1 WHERE id = ?")
                                 .arg(QLatin1String(Fields<Record>::kTable)))
      .bind(id)
      .run();
}

}  // namespace quire
