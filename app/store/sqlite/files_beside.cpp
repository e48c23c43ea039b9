#include "app/store/sqlite/files_beside.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace quire {
namespace {

namespace fs = std::filesystem;

/// Also if it is missing or cannot be looked at, of which SQLite tells.
bool mayBeOpened(const fs::file_status& status) {
  return status.type() == fs::file_type::regular || status.type() == fs::file_type::not_found ||
         status.type() == fs::file_type::none || status.type() == fs::file_type::unknown;
}

constexpr std::string_view kMagic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);

/// Whether the last bytes are those that follow the name of another file
/// (https://www.sqlite.org/fileformat.html, 3, and readSuperJournal() in pager.c).
bool namesAnotherFile(const fs::path& journal) {
  std::array<char, kMagic.size()> end{};
  std::ifstream file(journal, std::ios::binary);
  file.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
  file.read(end.data(), end.size());
  return file && std::string_view(end.data(), end.size()) == kMagic;
}

fs::path withSuffix(const fs::path& path, std::string_view suffix) {
  fs::path beside = path;
  beside += suffix;
  return beside;
}

uint64_t numberAt(std::string_view bytes, size_t at, size_t count) {
  uint64_t number = 0;
  for (const char byte : bytes.substr(at, count)) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

/// What of a journal matters here (https://www.sqlite.org/fileformat.html, 3).
struct Journal {
  uint64_t bytes = 0;
  uint64_t numPages = 0;   ///< That the database gets again.
  uint64_t firstAt = 0;    ///< Where the first page's record begins.
  uint64_t pageBytes = 0;  ///< Of the database.
  uint64_t firstPage = 0;  ///< The number of the first page; 0: there is none.
};

/// None if SQLite ignores it.
std::optional<Journal> readJournal(const fs::path& path) {
  std::array<char, 28> header{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(header.data(), header.size())) return std::nullopt;
  const std::string_view bytes(header.data(), header.size());
  if (!bytes.starts_with(kMagic)) return std::nullopt;
  Journal journal{.numPages = numberAt(bytes, 16, 4),
                  .firstAt = numberAt(bytes, 20, 4),
                  .pageBytes = numberAt(bytes, 24, 4)};
  std::array<char, 4> number{};
  file.seekg(static_cast<std::streamoff>(journal.firstAt));
  if (file.read(number.data(), number.size())) {
    journal.firstPage = numberAt({number.data(), number.size()}, 0, number.size());
  }
  std::error_code error;
  const auto size = fs::file_size(path, error);
  journal.bytes = error ? 0 : size;
  return journal;
}

/// What of a database's header matters here.
struct Header {
  uint64_t pageBytes = 0;
  bool hasLog = false;  ///< Whether it is in WAL mode.
};

/// None if the file is empty or cannot be read.
std::optional<Header> readHeader(sqlite3_file* file) {
  std::array<char, 20> header{};
  if (file->pMethods->xRead(file, header.data(), header.size(), 0) != SQLITE_OK) {
    return std::nullopt;
  }
  const std::string_view bytes(header.data(), header.size());
  const uint64_t pageBytes = numberAt(bytes, 16, 2);
  return Header{.pageBytes = pageBytes == 1 ? 65536 : pageBytes,
                .hasLog = numberAt(bytes, 18, 2) == 0x0202};
}

/// Whether the journal is one of the switch to WAL mode, which changes the first page alone.
bool isOfTheSwitch(const Journal& journal, uint64_t pageBytes, uint64_t fileBytes) {
  constexpr uint64_t kNumbersOfRecord = 8;  // The page's number and its checksum.
  return journal.pageBytes == pageBytes && journal.firstPage <= 1 &&
         journal.bytes <= journal.firstAt + pageBytes + kNumbersOfRecord &&
         fileBytes <= std::max<uint64_t>(1, journal.numPages) * pageBytes;
}

}  // namespace

std::optional<FaultBeside> faultBeside(const fs::path& database) {
  std::error_code error;
  if (!mayBeOpened(fs::status(database, error))) {
    return FaultBeside{FaultBeside::Kind::kNotAFile, database};
  }
  // The others are beside the target of a link.
  fs::path place = database;
  if (fs::is_symlink(database, error)) place = fs::weakly_canonical(database, error);
  for (const std::string_view suffix : {"-journal", "-wal", "-shm"}) {
    const fs::path beside = withSuffix(place, suffix);
    if (!mayBeOpened(fs::symlink_status(beside, error))) {
      return FaultBeside{FaultBeside::Kind::kNotAFile, beside};
    }
  }
  const fs::path journal = withSuffix(place, "-journal");
  if (!namesAnotherFile(journal)) return std::nullopt;
  return FaultBeside{FaultBeside::Kind::kNamesAnotherFile, journal};
}

std::optional<fs::path> fileOfAnotherState(sqlite3* handle) {
  const char* name = sqlite3_db_filename(handle, "main");
  if (name == nullptr || *name == '\0') return std::nullopt;
  const fs::path log = sqlite3_filename_wal(name);
  const fs::path journalPath = sqlite3_filename_journal(name);
  // Closing a file that was opened without SQLite would release the process's locks.
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == nullptr || file->pMethods == nullptr) return std::nullopt;
  // The log's size before the header: another connection may switch the file at this moment.
  std::error_code error;
  const auto logBytes = fs::file_size(log, error);
  const bool hasLogFile = !error && logBytes > 0;
  const auto journal = readJournal(journalPath);
  const auto header = readHeader(file);
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return std::nullopt;
  if (hasLogFile && (size == 0 || (header && !header->hasLog))) return log;
  if (!journal || !header) return std::nullopt;
  if (isOfTheSwitch(*journal, header->pageBytes, static_cast<uint64_t>(size))) return std::nullopt;
  return journalPath;
}

}  // namespace quire
