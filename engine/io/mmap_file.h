#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "kernels/base/result.h"

namespace quire {

/// A file mapped into memory, read only, for as long as the object lives.
/// If another program shortens the file meanwhile, reading beyond its new end kills this process
/// (SIGBUS), as with every program that maps files.
/// Thread: immutable after opening; any thread.
class MappedFile {
 public:
  /// Errors: kNotFound for a missing file; kIo for a folder or one that may not be read;
  /// kCorruptFile for an empty file.
  static Result<MappedFile> open(const std::filesystem::path& path);

  std::span<const std::byte> bytes() const { return m_bytes; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(m_bytes.data()), m_bytes.size()};
  }

  /// Says that `part` of bytes() is wanted soon: the system reads ahead.
  void will_read(std::span<const std::byte> part) const;
  /// Says that `part` of bytes() is done with: its pages no longer count as this process's memory.
  /// They stay in the system's page cache, and reading them again works as before.
  void done_with(std::span<const std::byte> part) const;

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : m_bytes(bytes) {}
  std::span<const std::byte> m_bytes;
};

}  // namespace quire
