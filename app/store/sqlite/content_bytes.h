#pragma once

#include <cstdint>

struct sqlite3;

namespace quire {

/// How many bytes a database has, its write-ahead log included. A file may be said to have any
/// size: what was never written to it are holes, which take no space and are read as zeros.
struct ContentBytes {
  int64_t claimed = 0;    ///< The sizes of the files.
  int64_t allocated = 0;  ///< What they take on the disk, at most `claimed`.

  /// The most that was written to them. Some file systems compress, or allocate only seconds after
  /// a file was written.
  int64_t most() const;
};

/// Both are 0 for a database in memory. Opens and locks nothing, and runs no SQL.
ContentBytes contentBytesOf(sqlite3* handle);

}  // namespace quire
