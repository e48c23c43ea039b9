#pragma once

#include <span>
#include <string>

#include "engine/io/gguf_writer.h"

namespace quire {

/// A GGUF file in memory, to be read back before it is written: its header, and zeros for data.
class MemoryFile {
 public:
  explicit MemoryFile(const GgufLayout& layout);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// False if there is no memory. Takes some only for what is written.
  bool is_good() const { return m_is_good; }
  bool write(std::span<const std::byte> bytes, uint64_t offset);
  std::string path() const;

 private:
  int m_descriptor;
  bool m_is_good = false;
};

}  // namespace quire
