#include "engine/io/read_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "engine/io/text.h"
#include "platform/file.h"

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

}  // namespace

Result<OpenFile> OpenFile::open(const std::filesystem::path& path) {
  OpenFile file(path, platform::open_file(path, {}));
  if (file.m_descriptor < 0) return refused(path, errno);
  const auto status = platform::status_of(file.m_descriptor);
  if (!status) return refused(path, errno);
  if (status->is_folder)
    return make_error(ErrorCode::kIo, "%1 is a folder, not a file", {path.string()});
  if (!status->is_regular) return make_error(ErrorCode::kIo, "%1 is not a file", {path.string()});
  if (status->size == 0) {
    return make_error(ErrorCode::kCorruptFile, "%1 is empty; download it again", {path.string()});
  }
  file.m_size = status->size;
  return file;
}

Result<void> OpenFile::read_at(uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ptrdiff_t count = platform::read_at(m_descriptor, out, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused(m_path, errno);
    if (count == 0) {
      return make_error(ErrorCode::kIo,
                        "%1 became shorter while it was read; load it again when it is complete",
                        {m_path.string()});
    }
    out = out.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return {};
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_size(other.m_size) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_descriptor, other.m_descriptor);
  std::swap(m_size, other.m_size);
  return *this;
}

OpenFile::~OpenFile() {
  if (m_descriptor >= 0) platform::close_file(m_descriptor);
}

Result<std::string> read_file(const std::filesystem::path& path, size_t max_bytes) {
  const auto file = OpenFile::open(path);
  if (!file) return file.error();
  if (file->size() > max_bytes) {
    return make_error(ErrorCode::kUnsupported, "%1 is %2 bytes long; Quire reads up to %3",
                      {path.string(), with_separators(file->size()), with_separators(max_bytes)});
  }
  std::string content(static_cast<size_t>(file->size()), '\0');
  if (auto read = file->read_at(0, std::as_writable_bytes(std::span(content))); !read)
    return read.error();
  return content;
}

}  // namespace quire
