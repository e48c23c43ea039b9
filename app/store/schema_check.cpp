#include "app/store/schema_check.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "app/store/schema.h"
#include "app/store/sqlite/schema_limits.h"
#include "app/store/store_strings.h"

namespace quire {
namespace {

/// What sqlite_schema says of a table or an index; by "type name".
using Schema = std::map<std::string, std::string, std::less<>>;

constexpr const char* kEntries = "SELECT type, name, tbl_name, sql FROM sqlite_schema";

/// A row of kEntries.
struct Entry {
  std::string name;                ///< "type name".
  std::optional<std::string> sql;  ///< "table:statement", plain; none if SQLite reads less of it.
};

Entry entryOf(std::string_view type, std::string_view name, std::string_view table,
              std::string_view sql) {
  Entry entry{.name = std::string(type) + ' ' + std::string(name), .sql = {}};
  // What follows a zero is no part of the statement for SQLite.
  if (sql.find('\0') != std::string_view::npos) return entry;
  // Indices that a table implies have no statement.
  entry.sql = sql.empty() ? "" : plainSql(std::string(table) + ": " + std::string(sql));
  return entry;
}

/// Tables that SQLite itself makes in any database on ANALYZE.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kStatistics = {
    {{"table sqlite_stat1", "sqlite_stat1:CREATE TABLE sqlite_stat1(tbl,idx,stat)"},
     {"table sqlite_stat4",
      "sqlite_stat4:CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"}}};

bool isWordByte(char byte) {
  return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

/// The position after the string in single quotes that begins at `at`.
size_t endOfString(std::string_view sql, size_t at) {
  const size_t end = sql.find('\'', at + 1);
  return end == std::string_view::npos ? sql.size() : end + 1;
}

/// The position after the name in double quotes that begins at `at`; two quotes in it are one.
size_t endOfName(std::string_view sql, size_t at) {
  for (size_t end = sql.find('"', at + 1); end != std::string_view::npos;
       end = sql.find('"', end + 2)) {
    if (sql.substr(end + 1, 1) != "\"") return end + 1;
  }
  return sql.size();
}

/// Without its quotes if they mean nothing, as SQLite writes them around names of our tables.
std::string_view plainName(std::string_view quoted) {
  if (quoted.size() < 3 || quoted.back() != '"') return quoted;
  const std::string_view name = quoted.substr(1, quoted.size() - 2);
  return std::all_of(name.begin(), name.end(), isWordByte) ? name : quoted;
}

/// The position after the comment that begins at `at`; `at` if there is none.
size_t endOfComment(std::string_view sql, size_t at) {
  const bool isLine = sql.substr(at, 2) == "--";
  if (!isLine && sql.substr(at, 2) != "/*") return at;
  const size_t end = sql.find(isLine ? "\n" : "*/", at + 2);
  return end == std::string_view::npos ? sql.size() : end + (isLine ? 1 : 2);
}

std::optional<Schema> schemaOf(sqlite3* handle) {
  Schema schema;
  const auto add = [](void* to, int, char** values, char**) {
    const Entry entry =
        entryOf(values[0], values[1], values[2], values[3] == nullptr ? "" : values[3]);
    (*static_cast<Schema*>(to))[entry.name] = *entry.sql;
    return 0;
  };
  if (sqlite3_exec(handle, kEntries, add, &schema, nullptr) != SQLITE_OK) return std::nullopt;
  return schema;
}

/// The schema of an empty store of that version, made in memory; none if SQLite lacks something.
std::optional<Schema> makeSchema(size_t version) {
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open(":memory:", &handle);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closed(handle, &sqlite3_close);
  if (opened != SQLITE_OK) return std::nullopt;
  for (const Migration& migration : schemaMigrations().first(version)) {
    for (const char* statement : migration.statements) {
      const int made = sqlite3_exec(handle, statement, nullptr, nullptr, nullptr);
      if (made != SQLITE_OK) return std::nullopt;
    }
  }
  return schemaOf(handle);
}

/// Made once for each version, and never changed or removed. Thread: any.
const Schema* expectedSchema(size_t version) {
  static std::mutex mutex;
  static std::map<size_t, Schema> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(version);
  if (found != known.end()) return &found->second;
  auto made = makeSchema(version);
  return made ? &known.emplace(version, std::move(*made)).first->second : nullptr;
}

bool isStatistics(std::string_view name, std::string_view sql) {
  for (const auto& [table, statement] : kStatistics) {
    if (name == table && sql == statement) return true;
  }
  return false;
}

Error differs(const Database& database, const QString& entry) {
  return storeError(
      ErrorCode::kCorruptFile,
      StoreWords::tr("The tables of the file \"%1\" are not those that Quire made (%2). Put a "
                     "backup in its place, or move it away to start with an empty history.")
          .arg(pathOf(database), entry));
}

Error beyondLimits(const Database& database) {
  return differs(database, StoreWords::tr("too many or too long"));
}

Result<void> compare(const Database& database) {
  const auto version = database.number("PRAGMA user_version");
  if (!version) return version.error();
  if (*version < 0) return differs(database, QString::number(*version));
  const Schema* expected = expectedSchema(static_cast<size_t>(*version));
  if (!expected) return Error{ErrorCode::kInternal, "SQLite cannot make the store's tables."};
  Statement entries(database, kEntries);
  size_t found = 0;
  while (true) {
    const auto row = entries.step();
    const bool isTooLong = (sqlite3_errcode(database.handle()) & 0xff) == SQLITE_TOOBIG;
    if (!row) return isTooLong ? beyondLimits(database) : row.error();
    if (!*row) break;
    const Entry entry = entryOf(entries.text(0), entries.text(1), entries.text(2), entries.text(3));
    const auto known = expected->find(entry.name);
    if (entry.sql && isStatistics(entry.name, *entry.sql)) continue;
    if (known == expected->end() || known->second != entry.sql) {
      return differs(database, QString::fromStdString(entry.name.substr(0, 80)));
    }
    ++found;
  }
  if (found == expected->size()) return {};
  return differs(database, QStringLiteral("%1 < %2").arg(found).arg(expected->size()));
}

}  // namespace

std::string plainSql(std::string_view sql) {
  std::string plain;
  bool isSeparated = false;
  for (size_t at = 0; at < sql.size();) {
    const char byte = sql[at];
    const size_t afterComment = endOfComment(sql, at);
    if (afterComment > at || std::isspace(static_cast<unsigned char>(byte)) != 0) {
      isSeparated = true;
      at = std::max(afterComment, at + 1);
      continue;
    }
    const bool isName = byte == '"';
    const size_t end = isName ? endOfName(sql, at) : byte == '\'' ? endOfString(sql, at) : at + 1;
    std::string_view piece = sql.substr(at, end - at);
    if (isName) piece = plainName(piece);
    // A space counts only between two words, and a quoted name is one however close the next is.
    isSeparated = isSeparated || isName;
    if (isSeparated && !plain.empty() && isWordByte(plain.back()) && isWordByte(piece.front())) {
      plain += ' ';
    }
    isSeparated = isName;
    plain += piece;
    at = end;
  }
  return plain;
}

Result<void> checkFileWithinLimits(const Database& database,
                                   const std::function<Result<void>()>& check) {
  return withinSchemaLimits(database, beyondLimits(database), check);
}

// In one transaction, because another process may migrate the file.
Result<void> checkSchema(const Database& database) {
  return database.transaction([&] { return compare(database); }, "BEGIN");
}

}  // namespace quire
