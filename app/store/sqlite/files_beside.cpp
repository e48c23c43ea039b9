#include "app/store/sqlite/files_beside.h"

#include <array>
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

/// Whether the last bytes are those that follow the name of another file
/// (https://www.sqlite.org/fileformat.html, 3, and readSuperJournal() in pager.c).
bool namesAnotherFile(const fs::path& journal) {
  constexpr std::string_view kMagic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
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

}  // namespace quire
