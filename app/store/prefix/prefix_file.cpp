#include "app/store/prefix/prefix_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "app/store/sqlite/files_beside.h"
#include "app/store/sqlite/schema_limits.h"
#include "platform/file.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

// "QuiP", in the file's header (bytes 68 to 71). A change of the tables makes a new version. A file
// of another version is replaced, because its content can be computed again. Version 1 had
// checksums without a key.
constexpr int64_t kApplicationId = 0x51756950;
constexpr int64_t kVersion = 2;

// Payloads are in a table of their own, so that the small columns, which are read together, are
// stored together. The text is compared with that in the file, so it is written as SQLite stores
// it.
constexpr std::array kTables = {
    "CREATE TABLE block (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, parent BLOB NOT NULL, "
    "tokens BLOB NOT NULL, tag BLOB NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL) "
    "STRICT",
    "CREATE TABLE owner (kind INTEGER NOT NULL, id INTEGER NOT NULL, block INTEGER NOT NULL "
    "REFERENCES block (id) ON DELETE CASCADE, PRIMARY KEY (kind, id, block)) STRICT, WITHOUT ROWID",
    "CREATE INDEX owner_block ON owner (block)",
    "CREATE TABLE payload (block INTEGER PRIMARY KEY REFERENCES block (id) ON DELETE CASCADE, "
    "data BLOB NOT NULL) STRICT",
};

/// Our statements are correct, so that SQLITE_ERROR means a file with unexpected tables.
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

Result<std::unique_ptr<Database>> connect(const fs::path& path, bool isReadOnly = false) {
  const auto errorOf = [path](int code, const std::string& detail) {
    return Error{codeOf(code), "\"" + path.string() + "\": " + detail};
  };
  return Database::open(path, {.isReadOnly = isReadOnly, .busyTimeoutMs = 250, .errorOf = errorOf});
}

Error ioError(const fs::path& path, const std::string& reason) {
  return {ErrorCode::kIo, "\"" + path.string() + "\": " + reason};
}

/// The first bytes of a file (https://www.sqlite.org/fileformat.html, 1.3 and 1.6).
struct FileHeader {
  bool isEmpty = false;  ///< The file has no bytes.
  bool isSqlite = false;
  /// An SQLite file of one page without tables, application id, version or write-ahead log. Its log
  /// or journal may hold more.
  bool isBare = false;
  int64_t applicationId = 0;
};

constexpr size_t kFileHeaderBytes = 100;
/// The file's header and that of the first page, which holds the number of tables.
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

/// Reads the header in the file and nothing else. The log and all locks, also those of connections
/// in this process, stay unchanged.
Result<FileHeader> readHeader(const fs::path& path) {
  const auto file = connect(path, /*isReadOnly=*/true);
  if (!file) return file.error();
  // Closing a file that was opened without SQLite would release all locks of the process.
  sqlite3_file* bytes = nullptr;
  sqlite3_file_control((*file)->handle(), "main", SQLITE_FCNTL_FILE_POINTER, &bytes);
  const Error unreadable = ioError(path, "it cannot be read");
  if (!bytes || !bytes->pMethods) return unreadable;
  FirstBytes header{};
  std::error_code error;
  // Not SQLite's xFileSize(), which returns 0 for a file of one byte.
  const auto size = fs::file_size(path, error);
  if (error) return unreadable;
  if (size == 0) return FileHeader{.isEmpty = true};
  if (size < kFileHeaderBytes) return FileHeader{};
  const auto count = static_cast<int>(std::min<uintmax_t>(size, header.size()));
  if (bytes->pMethods->xRead(bytes, header.data(), count, 0) != SQLITE_OK) return unreadable;
  constexpr char kMagic[] = "SQLite format 3";  // Including its terminating zero.
  const bool isSqlite = std::memcmp(header.data(), kMagic, sizeof kMagic) == 0;
  return FileHeader{.isSqlite = isSqlite,
                    .isBare = isSqlite && isBare(header, size),
                    .applicationId = bigEndian(header, 68, 4)};
}

Error notAPrefixFile(const fs::path& path) {
  return {ErrorCode::kUnsupported,
          "\"" + path.string() + "\" is not a file in which Quire keeps what was computed"};
}

/// The first bytes are not those of an SQLite file: another program's file, or a damaged one of
/// ours.
Error notADatabase(const fs::path& path) {
  Error error = notAPrefixFile(path);
  error.message += " (if it was one, it is damaged and may be deleted)";
  return error;
}

/// Whether the name is that of a log or journal; an empty one may belong to an open database.
bool belongsBesideADatabase(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with("-wal") || name.ends_with("-shm") || name.ends_with("-journal");
}

/// Whether a journal holds pages that SQLite restores when it opens the file, after its last writer
/// was killed. A journal that begins with other bytes is ignored; one of a file that had no pages
/// empties the file (https://www.sqlite.org/fileformat.html, 3).
bool journalHoldsPages(const fs::path& path) {
  constexpr std::string_view kUsed("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  constexpr size_t kPagesBeforeAt = 16;
  std::array<char, 20> bytes{};
  std::ifstream journal(path.string() + "-journal", std::ios::binary);
  journal.read(bytes.data(), bytes.size());
  const std::string_view header(bytes.data(), bytes.size());
  return header.starts_with(kUsed) &&
         header.substr(kPagesBeforeAt) != std::string_view("\0\0\0\0", 4);
}

/// Whether the database has no content, as when the program was killed while creating it.
bool holdsNothing(const fs::path& path, const FileHeader& header) {
  std::error_code error;
  const fs::path place = fs::canonical(path, error);  // A journal is beside the target of a link.
  if (error || !header.isBare || journalHoldsPages(place)) return false;
  const auto logBytes = fs::file_size(place.string() + "-wal", error);
  return error || logBytes == 0;
}

Result<void> ensureFolder(const fs::path& folder) {
  std::error_code error;
  if (!folder.empty() && fs::create_directories(folder, error)) {
    fs::permissions(folder, fs::perms::owner_all, error);
  }
  if (error) return ioError(folder, error.message());
  return {};
}

/// Does not open an existing file, because closing it would release SQLite's locks.
Result<void> ensurePrivate(const fs::path& path) {
  if (auto checked = checkPrefixFile(path); !checked) return checked;
  if (auto made = ensureFolder(path.parent_path()); !made) return made;
  const int file = platform::open_file(
      path, {.write = true, .create = true, .is_new = true, .is_private = true});
  if (file >= 0) {
    platform::close_file(file);
    return {};
  }
  if (errno != EEXIST) return ioError(path, std::strerror(errno));
  // A failure is ignored: some file systems have no permissions.
  std::error_code error;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, error);
  return {};
}

Error otherTables(const fs::path& path) {
  return {ErrorCode::kCorruptFile,
          "\"" + path.string() + "\": its tables are not those of this version of Quire"};
}

/// To be called after checkPrefixFile(): the file is ours, so that it may be replaced.
Result<void> checkJournal(const fs::path& path) {
  const auto beside = faultBeside(path);
  if (!beside) return {};
  return Error{ErrorCode::kCorruptFile,
               "\"" + beside->path.string() + "\" names another file, which would be deleted"};
}

/// Whether the file has exactly our tables; false if it has none.
Result<bool> hasOurTables(const Database& file, const fs::path& path) {
  Statement select(file, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
  size_t found = 0;
  while (true) {
    const auto row = select.step();
    if (!row) return row.error();
    if (!*row) break;
    if (found >= kTables.size() || select.text(0) != kTables[found]) return otherTables(path);
    ++found;
  }
  const auto application = file.number("PRAGMA application_id");
  if (!application) return application.error();
  const auto version = file.number("PRAGMA user_version");
  if (!version) return version.error();
  if (found == 0 && *application == 0) return false;
  if (found != kTables.size() || *application != kApplicationId || *version != kVersion) {
    return otherTables(path);
  }
  return true;
}

/// Makes the tables in one transaction before there is a log, so that the header of a file with any
/// content has our application id.
Result<void> createTables(const Database& file, const fs::path& path) {
  // Large pages suit large blobs; the size can be set only before the first page is written.
  if (auto shaped = file.exec("PRAGMA page_size=16384"); !shaped) return shaped;
  const auto make = [&]() -> Result<void> {
    // Another process may have made them while this one waited for the lock.
    const auto ours = hasOurTables(file, path);
    if (!ours) return ours.error();
    if (*ours) return {};
    for (const char* table : kTables) {
      if (auto made = file.exec(table); !made) return made;
    }
    const std::string marks = "PRAGMA application_id=" + std::to_string(kApplicationId) +
                              ";PRAGMA user_version=" + std::to_string(kVersion);
    return file.exec(marks);
  };
  // auto_vacuum before the transaction would write a first page without our application id.
  return file.transaction(make, "BEGIN; PRAGMA auto_vacuum=INCREMENTAL");
}

}  // namespace

Result<void> checkPrefixFile(const fs::path& path) {
  if (belongsBesideADatabase(path)) return notAPrefixFile(path);
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (error) return ioError(path, error.message());
  if (!fs::is_regular_file(status)) return ioError(path, "it is not a file");
  const auto beside = faultBeside(path);
  if (beside && beside->kind == FaultBeside::Kind::kNotAFile) {
    return ioError(beside->path, "it is not a file");
  }
  const auto header = readHeader(path);
  if (!header) return header.error();
  const bool isOurs = header->isSqlite && header->applicationId == kApplicationId;
  if (isOurs || header->isEmpty || holdsNothing(path, *header)) return {};
  return header->isSqlite ? notAPrefixFile(path) : notADatabase(path);
}

Result<std::unique_ptr<Database>> openPrefixFile(const fs::path& path, int maxPages) {
  if (auto made = ensurePrivate(path); !made) return made.error();
  if (auto trusted = checkJournal(path); !trusted) return trusted.error();
  auto opened = connect(path);
  if (!opened) return opened;
  const Database& file = **opened;
  // Limits the size of values, and forbids what a damaged or forged schema could run.
  sqlite3_limit(file.handle(), SQLITE_LIMIT_LENGTH, 1 << 28);
  sqlite3_db_config(file.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(file.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  bool isOurs = false;
  const auto checked = withinSchemaLimits(file, otherTables(path), [&]() -> Result<void> {
    const auto ours = hasOurTables(file, path);
    if (!ours) return ours.error();
    isOurs = *ours;
    return {};
  });
  if (!checked) return checked.error();
  if (!isOurs) {
    if (auto made = createTables(file, path); !made) return made.error();
  }
  // NORMAL: a power failure may lose the last transactions, which the tags detect.
  auto configured = file.exec(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; "
      "PRAGMA foreign_keys=ON; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; "
      "PRAGMA cache_size=-16384");
  if (!configured) return configured.error();
  if (maxPages > 0) {
    const std::string limit = "PRAGMA max_page_count=" + std::to_string(maxPages);
    if (auto limited = file.exec(limit); !limited) return limited.error();
  }
  return opened;
}

Result<void> removePrefixFile(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return ioError(path, "it is a folder");
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    fs::remove(path.string() + suffix, error);
    if (error) return ioError(path, error.message());
  }
  return {};
}

}  // namespace quire
