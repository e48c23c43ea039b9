// Calls of the C library that change names or make data durable, defined here for the whole program
// (SQLite, Qt and the C++ library included), so that FaultVfs hears of them.

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/fault_vfs.h"

namespace {

using quire::FaultVfs;

std::string pathOf(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t bytes = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), static_cast<size_t>(bytes > 0 ? bytes : 0)};
}

/// Whether the call must fail; errno says why then.
bool mustFail(FaultVfs::Call call, const std::string& path) {
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs == nullptr || FaultVfs::isInSqlite()) return false;
  const int fault = vfs->verdict(call, path);
  if (fault != SQLITE_OK) errno = fault == SQLITE_FULL ? ENOSPC : EIO;
  return fault != SQLITE_OK;
}

int syncAs(long call, int file) {
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs == nullptr) return static_cast<int>(::syscall(call, file));
  const std::string path = pathOf(file);
  if (mustFail(FaultVfs::Call::kSync, path)) {
    vfs->log().noteSync(path, /*succeeded=*/false);
    return -1;
  }
  const long result = ::syscall(call, file);
  if (result == 0) vfs->log().noteSync(path);
  return static_cast<int>(result);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int fsync(int file) {
  return syncAs(SYS_fsync, file);
}

int fdatasync(int file) {
  return syncAs(SYS_fdatasync, file);
}

int rename(const char* from, const char* to) noexcept {
  if (mustFail(FaultVfs::Call::kRename, from)) return -1;
  const long result = ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs != nullptr && result == 0) vfs->log().noteRename(from, to);
  return static_cast<int>(result);
}

int unlink(const char* path) noexcept {
  if (mustFail(FaultVfs::Call::kRemove, path)) return -1;
  const long result = ::syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs != nullptr && result == 0) vfs->log().noteRemoval(path);
  return static_cast<int>(result);
}

int mkdir(const char* path, mode_t mode) noexcept {
  const long result = ::syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs != nullptr && result == 0) vfs->log().noteFolder(path);
  return static_cast<int>(result);
}

int utimensat(int folder, const char* path, const timespec times[2], int flags) noexcept {
  const long result = ::syscall(SYS_utimensat, folder, path, times, flags);
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs != nullptr && result == 0) vfs->log().noteTime(path);
  return static_cast<int>(result);
}

}  // extern "C"
#pragma GCC visibility pop
