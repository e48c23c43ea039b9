#pragma once

#include <filesystem>
#include <optional>

struct sqlite3;

namespace quire {

/// Why SQLite may not open a database.
struct FaultBeside {
  enum class Kind {
    kNotAFile,          ///< A pipe, a device, a folder, or a link beside the database.
    kNamesAnotherFile,  ///< A journal at whose end SQLite would delete the file that it names.
  };
  Kind kind;
  std::filesystem::path path;  ///< The database, its journal, its log or the log's index.
};

/// Looks at a database, which may be missing or a link, and at what SQLite opens beside it. SQLite
/// waits for the other end of a pipe, and a journal of a transaction over several databases names a
/// file that SQLite deletes after it has rolled back; Quire never writes to several at once. To be
/// called before the database is opened. Opens nothing but the journal, on which SQLite has no
/// locks that closing it would release.
std::optional<FaultBeside> faultBeside(const std::filesystem::path& database);

/// The journal or the log of another state of a database, such as one that was left beside an older
/// copy, a backup or an empty file; none in general. SQLite would write its pages over those of the
/// file, or delete it because the file is empty. If the database is a link, it is beside its
/// target. A database of Quire has a journal only while it is switched to WAL mode, which changes
/// the first page alone, and a log only afterwards; its backups, which are not in WAL mode, have
/// neither. To be called before the connection runs SQL; reads the headers, and takes no locks.
std::optional<std::filesystem::path> fileOfAnotherState(sqlite3* handle);

}  // namespace quire
