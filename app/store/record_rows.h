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

/// The record of a row that begins with columnList().
template <typename Record>
Record wholeRecordFrom(const Statement& row) {
  Record record;
  int column = 0;
  forEachField<Record>([&]<typename T>(const Field<Record, T>& field) {
    record.*field.member = row.get<T>(column++);
  });
  return record;
}

/// The same for the window; names that are too long to be laid out are cut.
template <typename Record>
Record recordFrom(const Statement& row) {
  auto record = wholeRecordFrom<Record>(row);
  cutNames(record);
  return record;
}

/// `SELECT columns FROM table` and `tail`, whose question marks take the values. `made` makes a
/// record of a row.
template <typename Record, typename... Values>
Result<QList<Record>> readRowsAs(Record (*made)(const Statement&), const Database& database,
                                 const std::string& tail, const Values&... values) {
  QList<Record> records;
  Statement select(
      database, "SELECT " + columnList<Record>() + " FROM " + Fields<Record>::kTable + " " + tail);
  (select.bind(values), ...);
  auto read = select.forEach([&](const Statement& row) { records.append(made(row)); });
  if (!read) return read.error();
  return records;
}

/// For the window: recordFrom().
template <typename Record, typename... Values>
Result<QList<Record>> readRecords(const Database& database, const std::string& tail,
                                  const Values&... values) {
  return readRowsAs<Record>(recordFrom<Record>, database, tail, values...);
}

/// For files and other stores, which get the names as they are.
template <typename Record, typename... Values>
Result<QList<Record>> readWholeRecords(const Database& database, const std::string& tail,
                                       const Values&... values) {
  return readRowsAs<Record>(wholeRecordFrom<Record>, database, tail, values...);
}

/// The first record, if there is one.
template <typename Record>
Result<std::optional<Record>> firstOf(Result<QList<Record>> records) {
  if (!records) return records.error();
  if (records->isEmpty()) return std::optional<Record>();
  return std::optional<Record>(std::move(records->first()));
}

/// The record with the whole names of its row, wherever it has what recordFrom() left of them, so
/// that a name which nobody changed is not written or copied cut.
template <typename Record>
Result<Record> withStoredNames(const Database& database, Record record) {
  bool mayBeCut = false;
  forEachName(record, [&](const QString& name, qsizetype most, auto) {
    mayBeCut = mayBeCut || name.size() >= most - 1;  // Half a character may have been left out.
  });
  if (!mayBeCut) return record;
  const auto& key = std::get<0>(Fields<Record>::kAll);
  auto stored = firstOf(readWholeRecords<Record>(
      database, std::string("WHERE ") + key.column + " = ?", record.*key.member));
  if (!stored) return stored.error();
  if (!*stored) return record;
  QList<QString> whole;
  forEachName(**stored, [&](const QString& name, qsizetype, auto) { whole.append(name); });
  forEachName(record, [&](QString& name, qsizetype most, auto) {
    const QString wholeName = whole.takeFirst();
    if (name == cutText(wholeName, most)) name = wholeName;
  });
  return record;
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

/// Inserts the record, or replaces the one with its key. Names that recordFrom() cut stay whole.
template <typename Record>
Result<void> putRecord(const Database& database, const Record& record) {
  const auto whole = withStoredNames(database, record);
  if (!whole) return whole.error();
  const std::string key = std::get<0>(Fields<Record>::kAll).column;
  std::string updates;
  forEachField<Record>([&](const auto& field) {
    if (field.column == key) return;
    updates +=
        (updates.empty() ? "" : ", ") + std::string(field.column) + " = excluded." + field.column;
  });
  Statement put(database,
                insertSql<Record>() + " ON CONFLICT (" + key + ") DO UPDATE SET " + updates);
  return bindAll(put, *whole).run();
}

template <typename Record>
Result<void> removeRecord(const Database& database, RecordId id) {
  return Statement(database, std::string("DELETE FROM ") + Fields<Record>::kTable + " WHERE id = ?")
      .bind(id)
      .run();
}

}  // namespace quire
