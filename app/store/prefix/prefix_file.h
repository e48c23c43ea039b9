#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/store/sqlite/database.h"

namespace quire {

/// Whether the path may become or is a prefix database: nothing there yet, an empty file, a
/// database without anything in it, or one whose header holds our application id. Reads the file's
/// header, of a database without anything also that of its journal. Errors: kUnsupported if the
/// file is anything else, which is to be left as it is; kIo.
Result<void> checkPrefixFile(const std::filesystem::path& path);

/// Opens or creates the file of the prefix database, readable by its owner only, with its tables,
/// its folder too. Write-ahead log, synchronous NORMAL, what is deleted overwritten. `maxPages`
/// (of 16 KiB) above 0 limits it, as a full disk would.
/// Errors: those of checkPrefixFile(), with nothing changed; kCorruptFile (damaged, or another
/// version's); kOutOfMemory; kIo (unwritable, locked). Those of the connection later: the same.
Result<std::unique_ptr<Database>> openPrefixFile(const std::filesystem::path& path, int maxPages);

/// Removes the file and what SQLite keeps beside it, whatever the file is: who calls has made sure.
/// Errors: kIo (it is a folder, or may not be removed).
Result<void> removePrefixFile(const std::filesystem::path& path);

}  // namespace quire
