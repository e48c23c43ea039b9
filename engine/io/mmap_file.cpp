#include "engine/io/mmap_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "platform/memory.h"

namespace quire {
namespace {

Error not_mapped(const std::filesystem::path& path, int error) {
  return make_error(ErrorCode::kIo, "%1 cannot be read: %2",
                    {path.string(), std::generic_category().message(error)});
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto file = OpenFile::open(path);
  if (!file) return file.error();
  return map(*file);
}

Result<MappedFile> MappedFile::map(const OpenFile& file) {
  const auto size = static_cast<size_t>(file.size());
  const void* const data = platform::map_file(file.descriptor(), size);
  if (data == nullptr) return not_mapped(file.path(), errno);
  MappedFile mapped(std::span(static_cast<const std::byte*>(data), size));
  if (!mapped.m_guard.is_active()) return not_mapped(file.path(), EMFILE);
  return mapped;
}

void MappedFile::will_read(std::span<const std::byte> part) const {
  platform::will_read(part);
}

void MappedFile::done_with(std::span<const std::byte> part) const {
  platform::done_with(part);
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
  if (!m_bytes.empty())
    platform::unmap_file(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

}  // namespace quire
