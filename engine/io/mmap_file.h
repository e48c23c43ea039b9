#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "kernels/base/result.h"

namespace quire {

/// A file mapped into memory, read only, for as long as the object lives.
/// Thread: immutable after opening; any thread.
class MappedFile {
 public:
  /// Errors: kNotFound for a missing file; kIo for a folder or one that may not be read;
  /// kCorruptFile for an empty file.
  static Result<MappedFile> open(const std::filesystem::path& path);

  std::span<const std::byte> bytes() const { return m_bytes; }

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : m_bytes(bytes) {}
  std::span<const std::byte> m_bytes;
};

}  // namespace quire
