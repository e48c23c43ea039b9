#include "engine/io/mmap_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace quire {
namespace {

Error refused(const std::filesystem::path& path, int error) {
  if (error == ENOENT) {
    return make_error(ErrorCode::kNotFound, "%1 cannot be read: there is no such file",
                      {path.string()});
  }
  if (error == EACCES) {
    return make_error(ErrorCode::kIo, "%1 cannot be read: Permission denied", {path.string()});
  }
  return make_error(ErrorCode::kIo, "%1 cannot be read: %2",
                    {path.string(), std::generic_category().message(error)});
}

/// Closes the descriptor when it leaves scope; a mapping outlives it.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

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
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return refused(path, errno);
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return refused(path, errno);
  if (S_ISDIR(info.st_mode))
    return make_error(ErrorCode::kIo, "%1 is a folder, not a file", {path.string()});
  if (!S_ISREG(info.st_mode))
    return make_error(ErrorCode::kIo, "%1 is not a file", {path.string()});
  if (info.st_size == 0) {
    return make_error(ErrorCode::kCorruptFile, "%1 is empty; download it again", {path.string()});
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) return refused(path, errno);
  return MappedFile(std::span(static_cast<const std::byte*>(data), size));
}

void MappedFile::will_read(std::span<const std::byte> part) const {
  advise(part, MADV_WILLNEED);
}

void MappedFile::done_with(std::span<const std::byte> part) const {
  // The mapping is private and never written, so that dropped pages come back from the file.
  advise(part, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(m_bytes, other.m_bytes);
  return *this;
}

MappedFile::~MappedFile() {
  if (!m_bytes.empty()) ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

}  // namespace quire
