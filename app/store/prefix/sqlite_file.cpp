#include "app/store/prefix/sqlite_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <system_error>
#include <utility>

namespace quire {
namespace {

constexpr int kBusyTimeoutMs = 250;
constexpr int kMaxValueBytes = 1 << 28;  // No block is larger; a damaged file may claim so.

/// The statements are fixed and right, so that SQLITE_ERROR means a file that is not as they
/// expect.
ErrorCode codeOf(int extended) {
  if (extended == SQLITE_READONLY_DBMOVED) return ErrorCode::kCorruptFile;  // It was deleted.
  switch (extended & 0xff) {
    case SQLITE_ERROR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
      return ErrorCode::kCorruptFile;
    case SQLITE_NOMEM:
      return ErrorCode::kOutOfMemory;
    default:
      return ErrorCode::kIo;
  }
}

Error makeError(const std::filesystem::path& path, sqlite3* handle) {
  return {codeOf(sqlite3_extended_errcode(handle)),
          "\"" + path.string() + "\": " + sqlite3_errmsg(handle)};
}

constexpr size_t kFileHeaderBytes = 100;
/// With the first page's own, which says how many tables there are.
using FirstBytes = std::array<unsigned char, kFileHeaderBytes + 8>;

int64_t bigEndian(const FirstBytes& bytes, size_t at, size_t count) {
  int64_t value = 0;
  for (size_t i = at; i < at + count; ++i) value = value << 8 | bytes[i];
  return value;
}

bool isBare(const FirstBytes& bytes, uint64_t fileBytes) {
  constexpr int64_t kLeafOfTable = 13;
  const int64_t pageField = bigEndian(bytes, 16, 2);
  const uint64_t pageBytes = pageField == 1 ? 65536 : static_cast<uint64_t>(pageField);
  const bool isRollback = bigEndian(bytes, 18, 2) == 0x0101;
  const bool isUnnamed = bigEndian(bytes, 60, 4) == 0 && bigEndian(bytes, 68, 4) == 0;
  const bool hasNoTables = bigEndian(bytes, kFileHeaderBytes, 1) == kLeafOfTable &&
                           bigEndian(bytes, kFileHeaderBytes + 3, 2) == 0;
  return fileBytes <= pageBytes && isRollback && isUnnamed && hasNoTables;
}

int openHandle(const std::filesystem::path& path, sqlite3** handle, int mode) {
  std::error_code error;
  // Absolute: SQLite takes a name that begins with "file:" for an address of another file.
  const auto place = std::filesystem::absolute(path, error);
  if (error) return SQLITE_CANTOPEN;
  return sqlite3_open_v2(place.c_str(), handle, mode | SQLITE_OPEN_NOMUTEX, nullptr);
}

}  // namespace

SqliteFile::SqliteFile(std::filesystem::path path, sqlite3* handle)
    : m_path(std::move(path)), m_handle(handle) {}

SqliteFile::~SqliteFile() {
  sqlite3_close_v2(m_handle);
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(const std::filesystem::path& path) {
  sqlite3* handle = nullptr;
  const int code = openHandle(path, &handle, SQLITE_OPEN_READWRITE);
  std::unique_ptr<SqliteFile> file(new SqliteFile(path, handle));
  if (code != SQLITE_OK) return makeError(path, handle);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  // What a damaged or a planted file may hold must not run.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return file;
}

Result<SqliteFile::Header> SqliteFile::readHeader(const std::filesystem::path& path) {
  constexpr char kMagic[] = "SQLite format 3";  // With its zero.
  sqlite3* handle = nullptr;
  const int code = openHandle(path, &handle, SQLITE_OPEN_READONLY);
  const SqliteFile file(path, handle);
  if (code != SQLITE_OK) return makeError(path, handle);
  // Opened by hand the file would have to be closed, which gives up all of the process's locks.
  sqlite3_file* bytes = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &bytes);
  const Error unreadable{ErrorCode::kIo, "\"" + path.string() + "\": it cannot be read"};
  if (!bytes || !bytes->pMethods) return unreadable;
  FirstBytes header{};
  std::error_code error;
  // Not SQLite's own xFileSize(), to which a file of one byte is empty.
  const auto size = std::filesystem::file_size(path, error);
  if (error) return unreadable;
  if (size == 0) return Header{.isEmpty = true};
  if (size < kFileHeaderBytes) return Header{};
  const auto count = static_cast<int>(std::min<uintmax_t>(size, header.size()));
  if (bytes->pMethods->xRead(bytes, header.data(), count, 0) != SQLITE_OK) return unreadable;
  const bool isSqlite = std::memcmp(header.data(), kMagic, sizeof kMagic) == 0;
  return Header{.isSqlite = isSqlite,
                .isBare = isSqlite && quire::isBare(header, size),
                .applicationId = bigEndian(header, 68, 4)};
}

Result<void> SqliteFile::exec(const char* sql) {
  if (sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<int64_t> SqliteFile::number(const char* sql) {
  SqliteStatement statement(*this, sql);
  const auto row = statement.step();
  if (!row) return row.error();
  return *row ? statement.number(0) : 0;
}

Result<void> SqliteFile::transaction(const std::function<Result<void>()>& body, const char* begin) {
  auto result = exec(begin);
  if (result) result = body();
  if (result) result = exec("COMMIT");
  // After some failures (a full disk) SQLite has rolled back by itself; a second one does no harm.
  if (!result) static_cast<void>(exec("ROLLBACK"));
  return result;
}

int SqliteFile::changedRows() const {
  return sqlite3_changes(m_handle);
}

int64_t SqliteFile::lastRow() const {
  return sqlite3_last_insert_rowid(m_handle);
}

Error SqliteFile::error() const {
  return makeError(m_path, m_handle);
}

SqliteStatement::SqliteStatement(SqliteFile& file, const char* sql) : m_file(file) {
  m_good = sqlite3_prepare_v3(file.handle(), sql, -1, 0, &m_statement, nullptr) == SQLITE_OK;
}

SqliteStatement::~SqliteStatement() {
  sqlite3_finalize(m_statement);
}

SqliteStatement& SqliteStatement::bind(int64_t number) {
  m_good = m_good && sqlite3_bind_int64(m_statement, ++m_bound, number) == SQLITE_OK;
  return *this;
}

SqliteStatement& SqliteStatement::bind(std::span<const std::byte> blob) {
  m_good = m_good && sqlite3_bind_blob64(m_statement, ++m_bound, blob.data(), blob.size(),
                                         SQLITE_STATIC) == SQLITE_OK;
  return *this;
}

Result<bool> SqliteStatement::step() {
  if (!m_good) return m_file.error();
  const int code = sqlite3_step(m_statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return m_file.error();
}

Result<void> SqliteStatement::run() {
  const auto row = step();
  reset();
  if (!row) return row.error();
  return {};
}

void SqliteStatement::reset() {
  // Its code is that of the step before, which was seen; what could not be bound may go next time.
  sqlite3_reset(m_statement);
  sqlite3_clear_bindings(m_statement);
  m_bound = 0;
  m_good = m_statement != nullptr;
}

int64_t SqliteStatement::number(int column) const {
  return sqlite3_column_int64(m_statement, column);
}

std::span<const std::byte> SqliteStatement::blob(int column) const {
  // The pointer first: it settles the type that the length is of.
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(m_statement, column));
  const int size = sqlite3_column_bytes(m_statement, column);
  if (!data || size <= 0) return {};
  return {data, static_cast<size_t>(size)};
}

}  // namespace quire
