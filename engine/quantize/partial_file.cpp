#include "engine/quantize/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = 1 << 20;

fs::path with_ending(const fs::path& path, const char* ending) {
  fs::path longer = path;
  longer += ending;
  return longer;
}

std::string journal_line(uint64_t bytes, const Sha256::Digest& digest) {
  return std::to_string(bytes) + " " + to_hex(digest) + "\n";
}

/// The whole lines of the journal; what a kill cut off is no line.
std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(file, line) && !file.eof()) lines.push_back(line);
  return lines;
}

/// The journal's line for the next `bytes` bytes at `offset` as they stand; empty if they do not.
std::string line_of(int descriptor, uint64_t offset, uint64_t bytes) {
  Sha256 hash;
  std::vector<std::byte> buffer(std::min<uint64_t>(kReadBytes, std::max<uint64_t>(bytes, 1)));
  for (uint64_t left = bytes; left > 0;) {
    const ssize_t count = pread(descriptor, buffer.data(), std::min<uint64_t>(left, buffer.size()),
                                static_cast<off_t>(offset + bytes - left));
    if (count <= 0) return {};
    hash.update(std::span(buffer).first(static_cast<size_t>(count)));
    left -= static_cast<uint64_t>(count);
  }
  return journal_line(bytes, hash.finish());
}

/// rename() that never replaces, where the file system can.
int rename_without_replacing(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str());
  if (errno == EEXIST) return -1;
  struct stat ignored;
  if (lstat(to.c_str(), &ignored) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(from.c_str(), to.c_str());
}

Error exists_already(const fs::path& path) {
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 exists and is not overwritten; choose another name, or delete it first",
                    {path.string()});
}

}  // namespace

PartialFile::PartialFile(const Options& options, int descriptor)
    : m_path(options.path),
      m_part(with_ending(options.path, ".part")),
      m_journal_path(with_ending(options.path, ".part.log")),
      m_file(descriptor) {}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_part(std::move(other.m_part)),
      m_journal_path(std::move(other.m_journal_path)),
      m_file(std::exchange(other.m_file, -1)),
      m_journal(std::exchange(other.m_journal, -1)),
      m_num_parts(other.m_num_parts),
      m_size(other.m_size),
      m_part_bytes(other.m_part_bytes),
      m_hash(other.m_hash) {}

PartialFile::~PartialFile() {
  if (m_file >= 0) close(m_file);
  if (m_journal >= 0) close(m_journal);
}

Error PartialFile::failed(const fs::path& path) const {
  const std::string reason = std::strerror(errno);
  return make_error(ErrorCode::kIo, "%1 cannot be written: %2", {path.string(), reason});
}

Result<PartialFile> PartialFile::open(const Options& options) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(options.path, ignored))) return exists_already(options.path);
  const fs::path part = with_ending(options.path, ".part");
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (options.resume ? 0 : O_EXCL);
  const int descriptor = ::open(part.c_str(), flags, 0666);
  if (descriptor < 0 && errno == EEXIST) {
    return make_error(ErrorCode::kInvalidArgument,
                      "%1 is there from a run that did not finish; continue it with --resume, or "
                      "delete it first",
                      {part.string()});
  }
  PartialFile file(options, descriptor);
  if (descriptor < 0) return file.failed(part);
  if (auto locked = file.lock(); !locked) return locked.error();
  if (auto read = file.read_journal(options); !read) return read.error();
  return file;
}

Result<void> PartialFile::lock() const {
  if (flock(m_file, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return failed(m_part);
  return make_error(ErrorCode::kIo, "another program is writing %1; wait until it has finished",
                    {m_part.string()});
}

/// Keeps the parts that stand as they were written, and cuts off what follows them.
Result<void> PartialFile::read_journal(const Options& options) {
  const std::vector<std::string> lines =
      options.resume ? read_lines(m_journal_path) : std::vector<std::string>();
  if (!lines.empty() && lines.front() != options.job) {
    return make_error(ErrorCode::kInvalidArgument,
                      "%1 was begun from another model or with other options; repeat those, or "
                      "delete it first",
                      {m_part.string()});
  }
  if (!lines.empty()) m_size = verify_parts(std::span(lines).subspan(1));
  if (ftruncate(m_file, static_cast<off_t>(m_size)) != 0) return failed(m_part);
  if (lseek(m_file, 0, SEEK_END) < 0) return failed(m_part);
  if (auto started = start_journal(options.job); !started) return started;
  // The verified parts are listed again, without what followed them.
  for (size_t i = 0; i < m_num_parts; ++i) {
    const std::string line = lines[i + 1] + "\n";
    auto written = write_all(m_journal, std::as_bytes(std::span(line)), m_journal_path);
    if (!written) return written;
  }
  return {};
}

Result<void> PartialFile::start_journal(const std::string& job) {
  m_journal =
      ::open(m_journal_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (m_journal < 0) return failed(m_journal_path);
  const std::string line = job + "\n";
  return write_all(m_journal, std::as_bytes(std::span(line)), m_journal_path);
}

/// The bytes of the first parts that match their lines; counts these parts.
uint64_t PartialFile::verify_parts(std::span<const std::string> lines) {
  uint64_t size = 0;
  for (const std::string& line : lines) {
    const uint64_t bytes = std::strtoull(line.c_str(), nullptr, 10);
    if (bytes > uint64_t{1} << 60 || line_of(m_file, size, bytes) != line + "\n") break;
    size += bytes;
    ++m_num_parts;
  }
  return size;
}

Result<void> PartialFile::write_all(int descriptor, std::span<const std::byte> bytes,
                                    const fs::path& path) const {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(path);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return {};
}

Result<void> PartialFile::append(std::span<const std::byte> bytes) {
  if (auto written = write_all(m_file, bytes, m_part); !written) return written;
  m_hash.update(bytes);
  m_part_bytes += bytes.size();
  m_size += bytes.size();
  return {};
}

Result<void> PartialFile::end_part() {
  const std::string line = journal_line(m_part_bytes, m_hash.finish());
  m_hash = {};
  m_part_bytes = 0;
  return write_all(m_journal, std::as_bytes(std::span(line)), m_journal_path);
}

void PartialFile::discard() {
  unlink(m_part.c_str());
  unlink(m_journal_path.c_str());
}

Result<void> PartialFile::finish() {
  if (fsync(m_file) != 0) return failed(m_part);
  if (rename_without_replacing(m_part, m_path) != 0) {
    return errno == EEXIST ? exists_already(m_path) : failed(m_path);
  }
  unlink(m_journal_path.c_str());
  const fs::path parent = m_path.has_parent_path() ? m_path.parent_path() : fs::path(".");
  const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return {};
}

}  // namespace quire
