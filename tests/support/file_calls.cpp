// Calls of the C library that change names or make data durable, defined here for the whole program
// (SQLite, Qt and the C++ library included), so that FaultVfs hears of them.

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

int noted(long result, int file) {
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs != nullptr && result == 0) vfs->log().noteSync(pathOf(file));
  return static_cast<int>(result);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int fsync(int file) {
  return noted(::syscall(SYS_fsync, file), file);
}

int fdatasync(int file) {
  return noted(::syscall(SYS_fdatasync, file), file);
}

int rename(const char* from, const char* to) noexcept {
  const long result = ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  FaultVfs* const vfs = FaultVfs::current();
  if (vfs != nullptr && result == 0) vfs->log().noteRename(from, to);
  return static_cast<int>(result);
}

int unlink(const char* path) noexcept {
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
