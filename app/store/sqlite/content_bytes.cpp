#include "app/store/sqlite/content_bytes.h"

#include <sqlite3.h>

#include <algorithm>

#include "platform/file.h"

namespace quire {
namespace {

constexpr int64_t kMostCompression = 8;
constexpr int64_t kAllocatedLater = 2 << 20;

/// As SQLite sees the file: also if it has no name any more.
int64_t openedBytes(sqlite3* handle) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 bytes = 0;
  const bool isOpen = file != nullptr && file->pMethods != nullptr;
  return isOpen && file->pMethods->xFileSize(file, &bytes) == SQLITE_OK ? bytes : 0;
}

ContentBytes bytesOfFile(const char* path) {
  const auto bytes = platform::bytes_of(platform::utf8_path(path));
  if (!bytes) return {};
  return {.claimed = static_cast<int64_t>(bytes->size),
          .allocated = static_cast<int64_t>(bytes->allocated)};
}

}  // namespace

int64_t ContentBytes::most() const {
  return std::min(claimed, kMostCompression * allocated + kAllocatedLater);
}

// The log comes first: its pages may be moved into the file meanwhile, and are then counted twice
// rather than not at all.
ContentBytes contentBytesOf(sqlite3* handle) {
  const char* name = sqlite3_db_filename(handle, "main");
  if (name == nullptr || *name == '\0') return {};
  const ContentBytes log = bytesOfFile(sqlite3_filename_wal(name));
  ContentBytes file = bytesOfFile(name);
  if (file.claimed == 0) file.claimed = file.allocated = openedBytes(handle);
  return {.claimed = file.claimed + log.claimed, .allocated = file.allocated + log.allocated};
}

}  // namespace quire
