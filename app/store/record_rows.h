#pragma once

#include "app/store/database.h"
#include "app/store/fields.h"
#include "app/store/name_limits.h"

namespace quire {

template <>
struct Column<GenerationSettings> {
  static void bind(Statement& to, const GenerationSettings& settings) { to.bind(toJson(settings)); }
  static GenerationSettings read(const Statement& row, int column) {
    return generationSettingsFromJson(row.get<QString>(column));
  }
};

template <>
struct Column<JsonText> {
  static void bind(Statement& to, const JsonText& json) { to.bind(json.text); }
  static JsonText read(const Statement& row, int column) { return {row.get<QString>(column)}; }
};

/// The longest list of token ids that is read, four million; a longer one, which only a damaged
/// file holds, reads as empty.
inline constexpr int64_t kMaxTokenListBytes = 16 << 20;

/// Token ids: i32, little endian.
QByteArray toBlob(const QList<qint32>& tokens);
template <>
struct Column<QList<qint32>> {
  static void bind(Statement& to, const QList<qint32>& tokens) { to.bind(toBlob(tokens)); }
  static QList<qint32> read(const Statement& row, int column);
};

template <>
struct Column<MessageRole> {
  static void bind(Statement& to, const MessageRole& role) { to.bind(role.name); }
  static MessageRole read(const Statement& row, int column) { return {row.get<QString>(column)}; }
};

/// An unknown status reads as Interrupted.
template <>
struct Column<MessageStatus> {
  static void bind(Statement& to, MessageStatus status) { to.bind(static_cast<int>(status)); }
  static MessageStatus read(const Statement& row, int column);
};

/// "id, title, ...", the columns in the order of the fields.
template <typename Record>
std::string columnList() {
  std::string columns;
  forEachField<Record>([&](const auto& field) {
    columns += (columns.empty() ? "" : ", ") + std::string(field.column);
  });
  return columns;
}

/// The record of a row that begins with columnList(); names that are too long are cut.
template <typename Record>
Record recordFrom(const Statement& row) {
  Record record;
  int column = 0;
  forEachField<Record>([&]<typename T>(const Field<Record, T>& field) {
    record.*field.member = row.get<T>(column++);
  });
  cutNames(record);
  return record;
}

/// `SELECT columns FROM table` and `tail`, whose question marks take the values.
template <typename Record, typename... Values>
Result<QList<Record>> readRecords(const Database& database, const std::string& tail,
                                  const Values&... values) {
  QList<Record> records;
  Statement select(
      database, "SELECT " + columnList<Record>() + " FROM " + Fields<Record>::kTable + " " + tail);
  (select.bind(values), ...);
  auto read =
      select.forEach([&](const Statement& row) { records.append(recordFrom<Record>(row)); });
  if (!read) return read.error();
  return records;
}

/// The first record, if there is one.
template <typename Record>
Result<std::optional<Record>> firstOf(Result<QList<Record>> records) {
  if (!records) return records.error();
  if (records->isEmpty()) return std::optional<Record>();
  return std::optional<Record>(std::move(records->first()));
}

template <typename Record>
Statement& bindAll(Statement& statement, const Record& record) {
  forEachField<Record>([&](const auto& field) { statement.bind(record.*field.member); });
  return statement;
}

template <typename Record>
std::string insertSql() {
  std::string values;
  forEachField<Record>([&](const auto& field) {
    values += (values.empty() ? "" : ", ") + std::string(field.value);
  });
  return std::string("INSERT INTO ") + Fields<Record>::kTable + " (" + columnList<Record>() +
         ") VALUES (" + values + ")";
}

/// Inserts the record, or replaces the one with its key.
template <typename Record>
Result<void> putRecord(const Database& database, const Record& record) {
  const std::string key = std::get<0>(Fields<Record>::kAll).column;
  std::string updates;
  forEachField<Record>([&](const auto& field) {
    if (field.column == key) return;
    updates +=
        (updates.empty() ? "" : ", ") + std::string(field.column) + " = excluded." + field.column;
  });
  Statement put(database,
                insertSql<Record>() + " ON CONFLICT (" + key + ") DO UPDATE SET " + updates);
  return bindAll(put, record).run();
}

template <typename Record>
Result<void> removeRecord(const Database& database, RecordId id) {
  return Statement(database, std::string("DELETE FROM ") + Fields<Record>::kTable + " WHERE id = ?")
      .bind(id)
      .run();
}

}  // namespace quire
