#include "engine/quantize/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace quire {

MemoryFile::MemoryFile(const GgufLayout& layout)
    : m_descriptor(memfd_create("model.gguf", MFD_CLOEXEC)) {
  m_is_good = m_descriptor >= 0 &&
              ftruncate(m_descriptor, static_cast<off_t>(layout.file_bytes)) == 0 &&
              write(std::as_bytes(std::span(layout.header)), 0);
}

MemoryFile::~MemoryFile() {
  if (m_descriptor >= 0) close(m_descriptor);
}

bool MemoryFile::write(std::span<const std::byte> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count =
        pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

}  // namespace quire
