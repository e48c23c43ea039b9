#include "app/store/sqlite/database.h"

#include <sqlite3.h>

#include <cmath>
#include <system_error>
#include <utility>

#include "kernels/base/visible_text.h"

namespace quire {
namespace {

/// Lets the connection ask a function. May end after the connection.
class Interruption {
 public:
  Interruption(std::shared_ptr<StatementLimits> limits, std::function<bool()> wanted)
      : m_limits(std::move(limits)), m_before(m_limits->setInterrupt(std::move(wanted))) {}
  ~Interruption() { m_limits->setInterrupt(std::move(m_before)); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  std::shared_ptr<StatementLimits> m_limits;
  std::function<bool()> m_before;
};

/// Lowers the limit for the length of values while a statement takes a step.
class LengthLimit {
 public:
  LengthLimit(sqlite3* handle, int longest)
      : m_handle(handle), m_before(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1)) {
    if (longest < m_before) sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest);
  }
  ~LengthLimit() { sqlite3_limit(m_handle, SQLITE_LIMIT_LENGTH, m_before); }
  LengthLimit(const LengthLimit&) = delete;
  LengthLimit& operator=(const LengthLimit&) = delete;

 private:
  sqlite3* const m_handle;
  const int m_before;
};

}  // namespace

Database::Database(std::filesystem::path path, Options options)
    : m_path(std::move(path)), m_options(std::move(options)) {}

Database::~Database() {
  m_statementCache.clear();
  sqlite3_close_v2(m_handle);
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path,
                                                 Options options) {
  std::unique_ptr<Database> database(new Database(path, std::move(options)));
  const int mode = database->m_options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  std::error_code error;
  // Absolute, because SQLite treats a name that begins with "file:" as a URI.
  const auto place = std::filesystem::absolute(path, error);
  if (error) return database->m_options.errorOf(SQLITE_CANTOPEN, error.message());
  // As UTF-8, whatever the system's own paths are made of.
  const int code = sqlite3_open_v2(place.string().c_str(), &database->m_handle,
                                   mode | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) return database->error();
  database->m_limits = std::make_shared<StatementLimits>(database->m_handle);
  sqlite3_busy_timeout(database->m_handle, database->m_options.busyTimeoutMs);
  return database;
}

Result<void> Database::exec(const std::string& sql) const {
  m_limits->begin(/*onlyReads=*/false);
  if (sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<int64_t> Database::number(const std::string& sql) const {
  const auto found = Statement(*this, sql).first<int64_t>();
  if (!found) return found.error();
  return found->value_or(0);
}

Result<std::string> Database::text(const std::string& sql) const {
  Statement statement(*this, sql);
  const auto row = statement.step();
  if (!row) return row.error();
  return *row ? std::string(statement.text(0)) : std::string();
}

Result<void> Database::transaction(const std::function<Result<void>()>& body,
                                   const char* begin) const {
  auto result = exec(begin);
  if (result) result = body();
  if (result) result = exec("COMMIT");
  // After some failures (a full disk) SQLite has rolled back itself; a second ROLLBACK is harmless.
  if (!result) sqlite3_exec(m_handle, "ROLLBACK", nullptr, nullptr, nullptr);
  return result;
}

bool Database::truncateLog() const {
  sqlite3_busy_timeout(m_handle, 0);
  const auto busy = number("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_busy_timeout(m_handle, m_options.busyTimeoutMs);
  return busy && *busy == 0;
}

std::shared_ptr<void> Database::interruptWhen(std::function<bool()> wanted) const {
  if (!wanted) return nullptr;
  return std::make_shared<Interruption>(m_limits, std::move(wanted));
}

int Database::changedRows() const {
  return sqlite3_changes(m_handle);
}

int64_t Database::lastRow() const {
  return sqlite3_last_insert_rowid(m_handle);
}

Error Database::error() const {
  const bool isInterrupted = sqlite3_errcode(m_handle) == SQLITE_INTERRUPT;
  const int exceeded = isInterrupted && m_limits ? m_limits->exceeded() : 0;
  // In SQLite's own words, which are translated.
  if (exceeded != 0) return m_options.errorOf(exceeded, sqlite3_errstr(exceeded));
  // SQLite's messages repeat names and SQL of the file, which may hold anything.
  return m_options.errorOf(sqlite3_extended_errcode(m_handle),
                           visible_text(sqlite3_errmsg(m_handle)));
}

Error Database::endlessError() const {
  return m_options.errorOf(SQLITE_CORRUPT, sqlite3_errstr(SQLITE_CORRUPT));
}

Error Database::refusal(const std::string& detail) const {
  return m_options.errorOf(SQLITE_CONSTRAINT, detail);
}

Statement::Statement(const Database& database, std::string sql)
    : m_database(database), m_sql(std::move(sql)) {
  m_statement = database.statementCache().remove(m_sql);
  if (m_statement != nullptr) return;
  database.limits().begin(/*onlyReads=*/true);
  const int code =
      sqlite3_prepare_v3(database.handle(), m_sql.c_str(), static_cast<int>(m_sql.size()) + 1,
                         SQLITE_PREPARE_PERSISTENT, &m_statement, nullptr);
  if (code != SQLITE_OK) m_error = database.error();
}

Statement::~Statement() {
  m_database.statementCache().add(std::move(m_sql), m_statement);
}

// What is too long to be written is no damage of the file.
void Statement::noteBound(int code) {
  if (code == SQLITE_OK || m_error) return;
  m_error = code == SQLITE_TOOBIG ? m_database.refusal(sqlite3_errstr(code)) : m_database.error();
}

void Statement::bindNull() {
  noteBound(sqlite3_bind_null(m_statement, ++m_numBound));
}

void Statement::bindNumber(int64_t number) {
  noteBound(sqlite3_bind_int64(m_statement, ++m_numBound, number));
}

void Statement::bindReal(double number) {
  noteBound(sqlite3_bind_double(m_statement, ++m_numBound, std::isfinite(number) ? number : 0.0));
}

// SQLite binds null pointers as NULL, which differs from an empty value.
void Statement::bindText(std::string_view text) {
  noteBound(sqlite3_bind_text64(m_statement, ++m_numBound, text.empty() ? "" : text.data(),
                                text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bindBlob(std::span<const std::byte> blob, bool isCopied) {
  const void* bytes = blob.empty() ? static_cast<const void*>("") : blob.data();
  noteBound(sqlite3_bind_blob64(m_statement, ++m_numBound, bytes, blob.size(),
                                isCopied ? SQLITE_TRANSIENT : SQLITE_STATIC));
}

Result<bool> Statement::step() {
  if (m_error) return *m_error;
  if (!mayReturnMore()) return m_database.endlessError();
  const bool onlyReads = sqlite3_stmt_readonly(m_statement) != 0;
  m_database.limits().begin(onlyReads);
  // What is written may be longer than all that the file holds.
  if (onlyReads && m_longest == kAnyLength) m_longest = m_database.limits().longestRead();
  const LengthLimit limit(m_database.handle(), m_longest);
  const int code = sqlite3_step(m_statement);
  if (code == SQLITE_ROW) {
    m_bytesReturned += StatementLimits::bytesOfRow(sqlite3_column_count(m_statement));
    return true;
  }
  if (code == SQLITE_DONE) return false;
  return m_database.error();
}

bool Statement::mayReturnMore() {
  if (m_bytesReturned <= m_mostReturned) return true;
  m_mostReturned = m_database.limits().mostReturned();
  return m_bytesReturned <= m_mostReturned;
}

Result<void> Statement::run() {
  return forEach([](const Statement&) {});
}

void Statement::reset() {
  m_numBound = 0;
  m_bytesReturned = 0;
  m_longest = kAnyLength;
  if (m_statement == nullptr) return;  // It could not be prepared; the error stays.
  // sqlite3_reset returns the code of the previous step again, which was handled then.
  sqlite3_reset(m_statement);
  sqlite3_clear_bindings(m_statement);
  m_error.reset();
}

Result<void> Statement::forEach(const std::function<void(const Statement& row)>& row) {
  auto found = step();
  while (found && *found) {
    row(*this);
    found = step();
  }
  reset();
  return found ? Result<void>() : Result<void>(found.error());
}

bool Statement::isNull(int column) const {
  return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

int64_t Statement::number(int column) const {
  return sqlite3_column_int64(m_statement, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(m_statement, column);
}

// The pointer is read first, because that call may convert the value and change its length.

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
  const int size = sqlite3_column_bytes(m_statement, column);
  m_bytesReturned += size;
  return data == nullptr ? std::string_view() : std::string_view(data, static_cast<size_t>(size));
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(m_statement, column));
  const int size = sqlite3_column_bytes(m_statement, column);
  if (!data || size <= 0) return {};
  m_bytesReturned += size;
  return {data, static_cast<size_t>(size)};
}

}  // namespace quire
