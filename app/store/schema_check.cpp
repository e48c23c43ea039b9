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
#include "app/store/store_strings.h"

namespace quire {
namespace {

/// What sqlite_schema says of a table or an index; by "type name".
using Schema = std::map<std::string, std::string, std::less<>>;

constexpr const char* kEntries =
    "SELECT type || ' ' || name, tbl_name || ': ' || sql FROM sqlite_schema";

/// Ten times what the check of a store of any version takes, and many times its longest statement.
constexpr int kMaxThousandSteps = 20;
constexpr int kMaxStatementBytes = 1 << 20;

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
    (*static_cast<Schema*>(to))[values[0]] = values[1] == nullptr ? "" : plainSql(values[1]);
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
    const auto name = entries.text(0);
    const auto known = expected->find(name);
    const std::string sql = plainSql(entries.text(1));
    if (isStatistics(name, sql)) continue;
    if (known == expected->end() || known->second != sql) {
      return differs(database,
                     QString::fromUtf8(name.data(), qMin<qsizetype>(80, std::ssize(name))));
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
    const size_t end = byte == '\'' ? endOfString(sql, at) : at + 1;
    // A space counts only between two words.
    if (isSeparated && !plain.empty() && isWordByte(plain.back()) &&
        (isWordByte(byte) || byte == '"')) {
      plain += ' ';
    }
    isSeparated = false;
    if (byte != '"') plain.append(sql.substr(at, end - at));
    at = end;
  }
  return plain;
}

Result<void> withinSchemaLimits(const Database& database,
                                const std::function<Result<void>()>& check) {
  sqlite3* const handle = database.handle();
  const int allowed = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxStatementBytes);
  int thousandsLeft = kMaxThousandSteps;
  const auto watch = database.interruptWhen([&] { return --thousandsLeft < 0; });
  auto checked = check();
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, allowed);
  return thousandsLeft < 0 ? beyondLimits(database) : checked;
}

// In one transaction, because another process may migrate the file.
Result<void> checkSchema(const Database& database) {
  return database.transaction([&] { return compare(database); }, "BEGIN");
}

}  // namespace quire
