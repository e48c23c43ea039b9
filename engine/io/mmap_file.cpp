#include "engine/io/mmap_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace quire {
namespace {

Error not_mapped(const std::filesystem::path& path, int error) {
  return make_error(ErrorCode::kIo, "%1 cannot be read: %2",
                    {path.string(), std::generic_category().message(error)});
}

/// Advises about all pages that `part` touches. Advice that the system ignores costs only speed
/// or memory, so that its result is not checked.
void advise(std::span<const std::byte> part, int advice) {
  if (part.empty()) return;
  static const auto kPage = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.data()) / kPage * kPage;
  const auto end = reinterpret_cast<uintptr_t>(part.data()) + part.size();
  ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto file = OpenFile::open(path);
  if (!file) return file.error();
  return map(*file);
}

Result<MappedFile> MappedFile::map(const OpenFile& file) {
  const auto size = static_cast<size_t>(file.size());
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (data == MAP_FAILED) return not_mapped(file.path(), errno);
  MappedFile mapped(std::span(static_cast<const std::byte*>(data), size));
  if (!mapped.m_guard.is_active()) return not_mapped(file.path(), EMFILE);
  return mapped;
}

void MappedFile::will_read(std::span<const std::byte> part) const {
  advise(part, MADV_WILLNEED);
}

void MappedFile::done_with(std::span<const std::byte> part) const {
  // The mapping is private and never written, so that dropped pages come back from the file.
  advise(part, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_bytes(std::exchange(other.m_bytes, {})), m_guard(std::move(other.m_guard)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(m_bytes, other.m_bytes);
  std::swap(m_guard, other.m_guard);
  return *this;
}

MappedFile::~MappedFile() {
  m_guard = MappingGuard();  // Before the memory can be mapped again.
  if (!m_bytes.empty()) ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

}  // namespace quire
