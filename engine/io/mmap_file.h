#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "engine/io/mapping_guard.h"
#include "engine/io/read_file.h"
#include "kernels/base/result.h"

namespace quire {

/// A file mapped into memory, read only, for as long as the object lives. Only for the values of
/// weights, any of which is valid. What is parsed is read by OpenFile or read_file() instead,
/// because another program can change mapped bytes between check and use.
///
/// If another program shortens the file meanwhile, what lay beyond its new end reads as zeros, and
/// was_cut() says so.
/// Thread: immutable after opening; any thread.
class MappedFile {
 public:
  /// Errors: those of OpenFile::open and map().
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// Maps an open file, which may be closed afterwards. Errors: kIo, also if too many are mapped.
  static Result<MappedFile> map(const OpenFile& file);

  std::span<const std::byte> bytes() const { return m_bytes; }

  /// Whether bytes that the file had when it was opened were gone when they were read. To be asked
  /// after reading, before the result is used.
  bool was_cut() const { return m_guard.was_cut(); }

  /// Says that `part` of bytes() is wanted soon: the system reads ahead.
  void will_read(std::span<const std::byte> part) const;
  /// Says that `part` of bytes() is done with: its pages no longer count as this process's memory.
  /// They stay in the system's page cache, and reading them again works as before.
  void done_with(std::span<const std::byte> part) const;

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : m_bytes(bytes), m_guard(bytes) {}
  std::span<const std::byte> m_bytes;
  MappingGuard m_guard;
};

}  // namespace quire
