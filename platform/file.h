#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

/// Files by descriptor. Functions that fail say why in errno, on every system; they neither throw
/// nor restart by themselves unless they say so. Thread: any.
///
/// Paths are Unicode: where a narrow string is made a path or shown, it is UTF-8 on Windows.
namespace quire::platform {

/// From a name in UTF-8. Never throws: what is not UTF-8 names a file that does not exist, or on
/// POSIX the one with these bytes.
std::filesystem::path utf8_path(const std::string& name);

struct OpenOptions {
  bool write = false;       ///< Read and write; else read only.
  bool create = false;      ///< If it is missing.
  bool is_new = false;      ///< With `create`: EEXIST if it is there.
  bool append = false;      ///< Each write goes to the end.
  bool follow_link = true;  ///< Without it: ELOOP if the path's last part is a symbolic link.
  bool is_private = false;  ///< With `create`: no other user may read it.
};

/// A descriptor that programs which are started do not inherit, or -1. Never waits for the other
/// end of a pipe. Other programs may read, write, rename and delete the file meanwhile.
int open_file(const std::filesystem::path& path, const OpenOptions& options);
/// False if what was written did not reach the file.
bool close_file(int file);

/// fopen() for a path that may hold any character.
std::FILE* open_stream(const std::filesystem::path& path, const char* mode);
/// getc() for a stream that one thread alone reads: without the lock, where it costs time.
inline int next_byte(std::FILE* stream) {
#if defined(_WIN32)
  return std::getc(stream);
#else
  return ::getc_unlocked(stream);
#endif
}

struct FileStatus {
  bool is_regular = false;
  bool is_folder = false;
  uint64_t size = 0;
  uint64_t num_names = 0;   ///< Hard links.
  bool is_own = false;      ///< This user's; true where the system does not say.
  bool is_private = false;  ///< No other user may write it; true where the system does not say.
};
std::optional<FileStatus> status_of(int file);
/// Takes every right from other users. Some file systems have no permissions.
void make_private(int file);

/// What changes when a file is replaced or written, as far as the system says: device and number,
/// size, and the times of the last changes in nanoseconds. None if there is no such file.
struct FileStamp {
  uint64_t device = 0, number = 0, size = 0;
  int64_t modified_ns = 0, changed_ns = 0;
};
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);
std::optional<FileStamp> stamp_of(int file);

struct FileBytes {
  uint64_t size = 0;
  uint64_t allocated = 0;  ///< On the disk, at most `size`; that if the system does not say.
};
/// A file without holes may be smaller on the disk than its size, if the file system compresses.
std::optional<FileBytes> bytes_of(const std::filesystem::path& path);

/// Both, of a name in a folder, which need not be readable. A link is neither file nor folder.
struct FileEntry {
  FileStatus status;
  FileStamp stamp;
};
std::optional<FileEntry> entry_of(const std::filesystem::path& path);

/// One call of the system: at most bytes.size() bytes, fewer at the end of the file; -1 on failure.
ptrdiff_t read_at(int file, std::span<std::byte> bytes, uint64_t offset);
ptrdiff_t write_at(int file, std::span<const std::byte> bytes, uint64_t offset);
/// At the file's own place, which moves.
ptrdiff_t read_some(int file, std::span<std::byte> bytes);
ptrdiff_t write_some(int file, std::span<const std::byte> bytes);

/// Sets the size; beyond the old end the file reads as zeros.
bool resize_file(int file, uint64_t size);
bool seek_to_end(int file);
/// Writes what the system holds of the file to the disk.
bool flush_file(int file);
/// The same without the file's times, which may take half as long.
bool flush_data(int file);
/// The same for the names in a folder; where the system has no such call it does nothing.
bool flush_folder(const std::filesystem::path& folder);
/// The one or the other, whatever the path is.
bool flush_path(const std::filesystem::path& path);
/// A hint that these bytes of a file need not stay in memory; 0 `bytes`: all from there.
void drop_from_cache(int file, uint64_t offset, uint64_t bytes);

/// Locks the whole file for this descriptor until it is closed or the process ends, without
/// waiting; EWOULDBLOCK if another has it. Programs that do not ask are not held up.
bool try_lock(int file);

/// Renames, and replaces what has the name. No program sees a state between.
bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// Renames; EEXIST if there is something of that name. Where a file system cannot rename so, there
/// is a moment between the check and the renaming.
bool rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);
bool remove_file(const std::filesystem::path& path);

/// A file without a lasting name, which is gone when it is closed: a descriptor, or -1.
int open_temporary_file();
/// A name by which this process can open it as long as it is open.
std::filesystem::path path_of(int temporary_file);

}  // namespace quire::platform
