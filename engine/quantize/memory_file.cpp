#include "engine/quantize/memory_file.h"

#include "platform/file.h"

namespace quire {

MemoryFile::MemoryFile(const GgufLayout& layout) : m_descriptor(platform::open_temporary_file()) {
  m_is_good = m_descriptor >= 0 && platform::resize_file(m_descriptor, layout.file_bytes) &&
              write(std::as_bytes(std::span(layout.header)), 0);
}

MemoryFile::~MemoryFile() {
  if (m_descriptor >= 0) platform::close_file(m_descriptor);
}

bool MemoryFile::write(std::span<const std::byte> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ptrdiff_t count = platform::write_at(m_descriptor, bytes, offset);
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

std::string MemoryFile::path() const {
  return platform::path_of(m_descriptor).string();
}

}  // namespace quire
