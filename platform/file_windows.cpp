#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>

#include "platform/file.h"
#include "platform/windows_error.h"

namespace quire::platform {

namespace fs = std::filesystem;

bool set_errno() {
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
      errno = ENOENT;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
      errno = EACCES;
      break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
      errno = ENOMEM;
      break;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING:
      errno = EWOULDBLOCK;
      break;
    default:
      errno = EIO;
  }
  return false;
}

namespace {

/// What one call of ReadFile or WriteFile is given at most.
constexpr size_t kMostBytes = size_t{1} << 30;
constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

HANDLE handle_of(int file) {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(file));
}

OVERLAPPED at(uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

int64_t nanoseconds(const FILETIME& time) {
  const uint64_t ticks = uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
  return static_cast<int64_t>(ticks * 100);
}

uint64_t joined(DWORD high, DWORD low) {
  return uint64_t{high} << 32 | low;
}

/// A link that OpenOptions::follow_link forbids; the handle is that of the link itself then.
bool is_link(HANDLE handle) {
  FILE_ATTRIBUTE_TAG_INFO info{};
  return ::GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &info, sizeof info) != 0 &&
         (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         info.ReparseTag == IO_REPARSE_TAG_SYMLINK;
}

std::optional<FileStamp> stamp_from(HANDLE handle) {
  BY_HANDLE_FILE_INFORMATION info{};
  FILE_BASIC_INFO times{};
  if (::GetFileInformationByHandle(handle, &info) == 0 ||
      ::GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times) == 0) {
    set_errno();
    return std::nullopt;
  }
  return FileStamp{.device = info.dwVolumeSerialNumber,
                   .number = joined(info.nFileIndexHigh, info.nFileIndexLow),
                   .size = joined(info.nFileSizeHigh, info.nFileSizeLow),
                   .modified_ns = nanoseconds(info.ftLastWriteTime),
                   .changed_ns = times.ChangeTime.QuadPart * 100};
}

std::optional<FileStatus> status_from(HANDLE handle) {
  BY_HANDLE_FILE_INFORMATION info{};
  if (::GetFileType(handle) != FILE_TYPE_DISK) return FileStatus{};
  if (::GetFileInformationByHandle(handle, &info) == 0) {
    set_errno();
    return std::nullopt;
  }
  const bool is_folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  return FileStatus{.is_regular = !is_folder,
                    .is_folder = is_folder,
                    .size = joined(info.nFileSizeHigh, info.nFileSizeLow),
                    .num_names = info.nNumberOfLinks,
                    .is_own = true,
                    .is_private = true};
}

int descriptor_of(HANDLE handle, int flags) {
  const int file =
      ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (file < 0) ::CloseHandle(handle);
  return file;
}

}  // namespace

fs::path utf8_path(const std::string& name) {
  if (name.empty() || name.size() > 0x7fff * 3) return {};
  const auto bytes = static_cast<int>(name.size());
  std::wstring wide(name.size(), L'\0');  // U+FFFD takes the place of what is no UTF-8.
  wide.resize(static_cast<size_t>(
      std::max(::MultiByteToWideChar(CP_UTF8, 0, name.data(), bytes, wide.data(), bytes), 0)));
  return wide;
}

/// A file is private by the permissions of its folder, which Windows inherits: the user's own
/// folders are closed to others. So OpenOptions::is_private needs nothing here.
int open_file(const fs::path& path, const OpenOptions& options) {
  const DWORD access = GENERIC_READ | (options.write ? GENERIC_WRITE : 0);
  const DWORD how = !options.create ? OPEN_EXISTING : options.is_new ? CREATE_NEW : OPEN_ALWAYS;
  // With backup semantics a folder can be opened, so that status_of() tells what it is.
  DWORD attributes = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS;
  if (!options.follow_link) attributes |= FILE_FLAG_OPEN_REPARSE_POINT;
  const HANDLE handle =
      ::CreateFileW(path.c_str(), access, kShareAll, nullptr, how, attributes, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return -1;
  }
  if (!options.follow_link && is_link(handle)) {
    ::CloseHandle(handle);
    errno = ELOOP;
    return -1;
  }
  return descriptor_of(handle,
                       (options.write ? _O_RDWR : _O_RDONLY) | (options.append ? _O_APPEND : 0));
}

bool close_file(int file) {
  return ::_close(file) == 0;
}

std::FILE* open_stream(const fs::path& path, const char* mode) {
  std::wstring wide;
  // 'e' is close-on-exec, which 'N' is here.
  for (const char c : std::string_view(mode)) wide += static_cast<wchar_t>(c == 'e' ? 'N' : c);
  return ::_wfopen(path.c_str(), wide.c_str());
}

std::optional<FileStatus> status_of(int file) {
  return status_from(handle_of(file));
}

std::optional<FileEntry> entry_of(const fs::path& path) {
  const HANDLE handle =
      ::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return std::nullopt;
  }
  auto status = status_from(handle);
  const auto stamp = stamp_from(handle);
  if (status && is_link(handle)) status->is_regular = status->is_folder = false;
  ::CloseHandle(handle);
  if (!status || !stamp) return std::nullopt;
  return FileEntry{.status = *status, .stamp = *stamp};
}

void make_private(int) {}

std::optional<FileStamp> stamp_of(const fs::path& path) {
  const HANDLE handle = ::CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr,
                                      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return std::nullopt;
  }
  const auto stamp = stamp_from(handle);
  ::CloseHandle(handle);
  return stamp;
}

std::optional<FileBytes> bytes_of(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return std::nullopt;
  return FileBytes{.size = size, .allocated = size};
}

std::optional<FileStamp> stamp_of(int file) {
  return stamp_from(handle_of(file));
}

ptrdiff_t read_at(int file, std::span<std::byte> bytes, uint64_t offset) {
  OVERLAPPED place = at(offset);
  DWORD count = 0;
  const auto most = static_cast<DWORD>(std::min(bytes.size(), kMostBytes));
  if (::ReadFile(handle_of(file), bytes.data(), most, &count, &place) != 0) return count;
  if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
  set_errno();
  return -1;
}

ptrdiff_t write_at(int file, std::span<const std::byte> bytes, uint64_t offset) {
  OVERLAPPED place = at(offset);
  DWORD count = 0;
  const auto most = static_cast<DWORD>(std::min(bytes.size(), kMostBytes));
  if (::WriteFile(handle_of(file), bytes.data(), most, &count, &place) != 0) return count;
  set_errno();
  return -1;
}

ptrdiff_t read_some(int file, std::span<std::byte> bytes) {
  return ::_read(file, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMostBytes)));
}

ptrdiff_t write_some(int file, std::span<const std::byte> bytes) {
  return ::_write(file, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMostBytes)));
}

bool resize_file(int file, uint64_t size) {
  FILE_END_OF_FILE_INFO info{};
  info.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return ::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &info, sizeof info) != 0
             ? true
             : set_errno();
}

bool seek_to_end(int file) {
  return ::_lseeki64(file, 0, SEEK_END) >= 0;
}

bool flush_file(int file) {
  return ::FlushFileBuffers(handle_of(file)) != 0 || set_errno();
}

bool flush_data(int file) {
  return flush_file(file);
}

/// NTFS writes names to its journal by itself.
bool flush_folder(const fs::path&) {
  return true;
}

bool flush_path(const fs::path& path) {
  const DWORD attributes = ::GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return set_errno();
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return flush_folder(path);
  const int file = open_file(path, {.write = true});
  if (file < 0) return false;
  const bool is_flushed = flush_file(file);
  close_file(file);
  return is_flushed;
}

void drop_from_cache(int, uint64_t, uint64_t) {}

/// A byte far behind the end stands for the file: Windows keeps other programs from reading bytes
/// that are locked.
bool try_lock(int file) {
  OVERLAPPED place = at(uint64_t{1} << 62);
  return ::LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                      &place) != 0 ||
         set_errno();
}

bool replace_file(const fs::path& from, const fs::path& to) {
  return ::MoveFileExW(from.c_str(), to.c_str(),
                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0 ||
         set_errno();
}

bool rename_to_new(const fs::path& from, const fs::path& to) {
  return ::MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_WRITE_THROUGH) != 0 || set_errno();
}

bool remove_file(const fs::path& path) {
  return ::DeleteFileW(path.c_str()) != 0 || set_errno();
}

int open_temporary_file() {
  static std::atomic<int> counter{0};
  std::error_code failed;
  const fs::path folder = fs::temp_directory_path(failed);
  if (failed) {
    errno = ENOENT;
    return -1;
  }
  const std::string name =
      "quire-" + std::to_string(::GetCurrentProcessId()) + "-" + std::to_string(++counter) + ".tmp";
  const HANDLE handle = ::CreateFileW(
      (folder / name).c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, kShareAll, nullptr,
      CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return -1;
  }
  return descriptor_of(handle, _O_RDWR);
}

fs::path path_of(int temporary_file) {
  wchar_t name[32768];
  const DWORD length =
      ::GetFinalPathNameByHandleW(handle_of(temporary_file), name, std::size(name), 0);
  return length > 0 && length < std::size(name) ? fs::path(name) : fs::path();
}

}  // namespace quire::platform
