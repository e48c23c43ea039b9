#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/store/sqlite/database.h"

namespace quire {

/// Checks that the path may be used for a prefix database: there is no file, an empty one, a
/// database without content, or one with our application id in its header. Reads the header of the
/// file, and for a database without content that of its journal. Errors: kUnsupported for any other
/// file, which must not be changed; kIo.
Result<void> checkPrefixFile(const std::filesystem::path& path);

/// Opens or creates the file of the prefix database, readable by its owner only, its tables and its
/// folder. Write-ahead log, synchronous NORMAL, deleted data overwritten. `maxPages` (of 16 KiB)
/// above 0 limits its size.
/// Errors: those of checkPrefixFile(), with nothing changed; kCorruptFile (damaged, or of another
/// version); kOutOfMemory; kIo (unwritable, locked). The connection has the same errors later.
Result<std::unique_ptr<Database>> openPrefixFile(const std::filesystem::path& path, int maxPages);

/// Removes the file and SQLite's files beside it. The caller has checked what the file is.
/// Errors: kIo (it is a folder, or may not be removed).
Result<void> removePrefixFile(const std::filesystem::path& path);

}  // namespace quire
