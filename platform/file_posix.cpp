#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "platform/file.h"

namespace quire::platform {
namespace {

namespace fs = std::filesystem;

#if defined(__APPLE__)
int64_t modified_ns(const struct stat& status) {
  return status.st_mtimespec.tv_sec * int64_t{1'000'000'000} + status.st_mtimespec.tv_nsec;
}
int64_t changed_ns(const struct stat& status) {
  return status.st_ctimespec.tv_sec * int64_t{1'000'000'000} + status.st_ctimespec.tv_nsec;
}
/// -1 with EINVAL or ENOTSUP where the file system cannot.
int rename_exclusively(const fs::path& from, const fs::path& to) {
  return ::renamex_np(from.c_str(), to.c_str(), RENAME_EXCL);
}
#else
int64_t modified_ns(const struct stat& status) {
  return status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}
int64_t changed_ns(const struct stat& status) {
  return status.st_ctim.tv_sec * int64_t{1'000'000'000} + status.st_ctim.tv_nsec;
}
/// -1 with EINVAL or ENOSYS where the system or the file system cannot.
int rename_exclusively(const fs::path& from, const fs::path& to) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
}
#endif

FileStamp stamp_from(const struct stat& status) {
  return {.device = static_cast<uint64_t>(status.st_dev),
          .number = static_cast<uint64_t>(status.st_ino),
          .size = static_cast<uint64_t>(status.st_size),
          .modified_ns = modified_ns(status),
          .changed_ns = changed_ns(status)};
}

FileStatus status_from(const struct stat& status) {
  return {.is_regular = S_ISREG(status.st_mode),
          .is_folder = S_ISDIR(status.st_mode),
          .size = static_cast<uint64_t>(status.st_size),
          .num_names = status.st_nlink,
          .is_own = status.st_uid == ::geteuid(),
          .is_private = (status.st_mode & (S_IWGRP | S_IWOTH)) == 0};
}

bool flush_opened(const fs::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0) return false;
  const bool is_flushed = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return is_flushed;
}

}  // namespace

fs::path utf8_path(const std::string& name) {
  return name;
}

int open_file(const fs::path& path, const OpenOptions& options) {
  int flags = O_CLOEXEC | (options.write ? O_RDWR : O_RDONLY);
  if (options.create) flags |= O_CREAT;
  if (options.is_new) flags |= O_EXCL;
  if (options.append) flags |= O_APPEND;
  if (!options.follow_link) flags |= O_NOFOLLOW;
  // Opening a FIFO would wait for its other end.
  if (!options.create) flags |= O_NONBLOCK;
  return ::open(path.c_str(), flags, options.is_private ? 0600 : 0666);
}

bool close_file(int file) {
  return ::close(file) == 0;
}

std::FILE* open_stream(const fs::path& path, const char* mode) {
  return std::fopen(path.c_str(), mode);
}

std::optional<FileStatus> status_of(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return std::nullopt;
  return status_from(status);
}

std::optional<FileEntry> entry_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return FileEntry{.status = status_from(status), .stamp = stamp_from(status)};
}

void make_private(int file) {
  static_cast<void>(::fchmod(file, 0600));
}

std::optional<FileStamp> stamp_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return stamp_from(status);
}

std::optional<FileBytes> bytes_of(const fs::path& path) {
  constexpr uint64_t kBlock = 512;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  const auto size = static_cast<uint64_t>(status.st_size);
  const auto blocks = static_cast<uint64_t>(status.st_blocks);  // Some file systems do not say.
  return FileBytes{.size = size, .allocated = blocks > 0 ? std::min(size, blocks * kBlock) : size};
}

std::optional<FileStamp> stamp_of(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return std::nullopt;
  return stamp_from(status);
}

ptrdiff_t read_at(int file, std::span<std::byte> bytes, uint64_t offset) {
  return ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

ptrdiff_t write_at(int file, std::span<const std::byte> bytes, uint64_t offset) {
  return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

ptrdiff_t read_some(int file, std::span<std::byte> bytes) {
  return ::read(file, bytes.data(), bytes.size());
}

ptrdiff_t write_some(int file, std::span<const std::byte> bytes) {
  return ::write(file, bytes.data(), bytes.size());
}

bool resize_file(int file, uint64_t size) {
  return ::ftruncate(file, static_cast<off_t>(size)) == 0;
}

bool seek_to_end(int file) {
  return ::lseek(file, 0, SEEK_END) >= 0;
}

bool flush_file(int file) {
#if defined(__APPLE__)
  // fsync() leaves the bytes in the drive's own cache there.
  if (::fcntl(file, F_FULLFSYNC) == 0) return true;
#endif
  return ::fsync(file) == 0;
}

bool flush_data(int file) {
#if defined(__linux__)
  return ::fdatasync(file) == 0;
#else
  return flush_file(file);
#endif
}

bool flush_folder(const fs::path& folder) {
  return flush_opened(folder, O_DIRECTORY);
}

bool flush_path(const fs::path& path) {
  return flush_opened(path, 0);
}

void drop_from_cache([[maybe_unused]] int file, [[maybe_unused]] uint64_t offset,
                     [[maybe_unused]] uint64_t bytes) {
#if defined(__linux__)
  static_cast<void>(::posix_fadvise(file, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                                    POSIX_FADV_DONTNEED));
#endif
}

bool try_lock(int file) {
  return ::flock(file, LOCK_EX | LOCK_NB) == 0;
}

bool replace_file(const fs::path& from, const fs::path& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}

bool rename_to_new(const fs::path& from, const fs::path& to) {
  if (rename_exclusively(from, to) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return false;
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0;
  if (errno == EEXIST) return false;
  struct stat ignored;
  if (::lstat(to.c_str(), &ignored) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool remove_file(const fs::path& path) {
  return ::unlink(path.c_str()) == 0;
}

#if defined(__linux__)
int open_temporary_file() {
  return ::memfd_create("model.gguf", MFD_CLOEXEC);
}

fs::path path_of(int temporary_file) {
  return "/proc/self/fd/" + std::to_string(temporary_file);
}
#else
int open_temporary_file() {
  std::error_code ignored;
  std::string name = (fs::temp_directory_path(ignored) / "quire-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) return -1;
  ::fcntl(file, F_SETFD, FD_CLOEXEC);
  ::unlink(name.c_str());
  return file;
}

fs::path path_of(int temporary_file) {
  return "/dev/fd/" + std::to_string(temporary_file);
}
#endif

}  // namespace quire::platform
