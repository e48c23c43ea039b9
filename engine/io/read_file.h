#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "kernels/base/result.h"

namespace quire {

/// A regular file that is open for reading. What it reads is a copy in this process's own memory,
/// which no other program can change afterwards: untrusted metadata is read so and never mapped.
/// Thread: one at a time.
class OpenFile {
 public:
  /// Errors: kNotFound for a missing file; kIo for a folder, a device, or a file that may not be
  /// read; kCorruptFile for an empty file.
  static Result<OpenFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return m_path; }
  /// In bytes, when it was opened.
  uint64_t size() const { return m_size; }
  int descriptor() const { return m_descriptor; }

  /// Fills `out` with the bytes from `offset` on. Errors: kIo, also if the file has become shorter.
  Result<void> read_at(uint64_t offset, std::span<std::byte> out) const;

  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

 private:
  OpenFile(std::filesystem::path path, int descriptor)
      : m_path(std::move(path)), m_descriptor(descriptor) {}

  std::filesystem::path m_path;
  int m_descriptor = -1;
  uint64_t m_size = 0;
};

/// The whole content of a file. Its size is checked before a byte is read, so that a sparse file of
/// terabytes takes no memory. Errors: those of OpenFile; kUnsupported for a file of more than
/// `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& path, size_t max_bytes);

}  // namespace quire
