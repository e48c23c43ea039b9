#include "engine/quantize/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = 1 << 20;
/// What every journal begins with.
constexpr std::string_view kMark = "quire-quantize 1 ";
/// More than a line takes: a number, a space, a digest in hexadecimal and the line's end.
constexpr size_t kMaxLineBytes = 96;

fs::path with_ending(const fs::path& path, const char* ending) {
  fs::path longer = path;
  longer += ending;
  return longer;
}

std::string journal_line(uint64_t bytes, const Sha256::Digest& digest) {
  return std::to_string(bytes) + " " + to_hex(digest) + "\n";
}

/// The whole lines of a text; what a kill cut off is no line.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Whether it is a file of this name alone. Another name of the same file, which a hard link is,
/// may be that of the model which is read.
bool is_file_of_one_name(int descriptor) {
  struct stat status = {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1;
}

/// The first bytes, at most `most`; empty if they cannot be read.
std::string start_of(int descriptor, size_t most) {
  std::string text(most, '\0');
  size_t size = 0;
  while (size < most) {
    const ssize_t count =
        pread(descriptor, text.data() + size, most - size, static_cast<off_t>(size));
    if (count <= 0) break;
    size += static_cast<size_t>(count);
  }
  text.resize(size);
  return text;
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
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "%1 is a folder; give the name of the file to write", {path.string()});
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 exists and is not overwritten; choose another name, or delete it first",
                    {path.string()});
}

/// Without `resumes` only a new part, or an empty one, which a run left that ended at once.
int open_part(const fs::path& part, bool resumes) {
  struct stat status = {};
  const bool is_empty =
      lstat(part.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  return ::open(part.c_str(), resumes || is_empty ? flags : flags | O_EXCL, 0666);
}

/// Whether an interrupted run's journal is there.
bool is_begun(const fs::path& path) {
  const fs::path journal = with_ending(path, ".part.log");
  const int descriptor = ::open(journal.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool has_mark = start_of(descriptor, kMark.size()) == kMark;
  close(descriptor);
  return has_mark;
}

Error other_name(const fs::path& path) {
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 is a link to another file, or no ordinary file; choose another name, or "
                    "delete it first",
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
  if (!options.path.has_filename()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "\"%1\" ends without the name of a file; add one", {options.path.string()});
  }
  if (fs::exists(fs::symlink_status(options.path, ignored))) return exists_already(options.path);
  const fs::path part = with_ending(options.path, ".part");
  const int descriptor = open_part(part, options.resume);
  if (descriptor < 0 && errno == EEXIST) {
    if (!is_begun(options.path)) return exists_already(part);
    return make_error(ErrorCode::kInvalidArgument,
                      "%1 is there from a run that did not finish; continue it with --resume, or "
                      "delete it first",
                      {part.string()});
  }
  if (descriptor < 0 && errno == ELOOP) return other_name(part);
  PartialFile file(options, descriptor);
  if (descriptor < 0) return file.failed(part);
  if (!is_file_of_one_name(descriptor)) return other_name(part);
  if (auto locked = file.lock(); !locked) return locked.error();
  auto begun = options.resume ? file.continue_parts(options) : file.start_journal(options.job);
  if (begun) return file;
  // The next run finds nothing then that would have to be resumed.
  struct stat status = {};
  if (fstat(descriptor, &status) == 0 && status.st_size == 0) unlink(part.c_str());
  return begun.error();
}

Result<void> PartialFile::lock() const {
  if (flock(m_file, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return failed(m_part);
  return make_error(ErrorCode::kIo, "another program is writing %1; wait until it has finished",
                    {m_part.string()});
}

Error PartialFile::another_job() const {
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 was begun from another model or with other options; repeat those, or "
                    "delete it first",
                    {m_part.string()});
}

/// Keeps the parts that stand as they were written, and cuts off what follows them.
Result<void> PartialFile::continue_parts(const Options& options) {
  const auto lines = read_journal(options);
  if (!lines) return lines.error();
  if (lines->empty()) {
    // Without a journal the file is another program's, which may name its downloads so.
    struct stat status = {};
    if (fstat(m_file, &status) != 0) return failed(m_part);
    return status.st_size > 0 ? another_job() : start_journal(options.job);
  }
  if (lines->front() != std::string(kMark) + options.job) return another_job();
  m_size = verify_parts(std::span(*lines).subspan(1), options);
  if (ftruncate(m_file, static_cast<off_t>(m_size)) != 0) return failed(m_part);
  if (lseek(m_file, 0, SEEK_END) < 0) return failed(m_part);
  size_t journal_bytes = 0;
  for (size_t i = 0; i <= m_num_parts; ++i) journal_bytes += (*lines)[i].size() + 1;
  const bool is_cut = ftruncate(m_journal, static_cast<off_t>(journal_bytes)) == 0;
  if (!is_cut || lseek(m_journal, 0, SEEK_END) < 0) return failed(m_journal_path);
  return {};
}

/// The journal's lines; empty if there is none, or nothing in it.
Result<std::vector<std::string>> PartialFile::read_journal(const Options& options) {
  if (auto opened = open_journal(); !opened) return opened.error();
  if (m_journal < 0) return std::vector<std::string>();
  // More lines than there are parts are not of this job.
  const size_t most =
      kMark.size() + options.job.size() + 1 + options.part_bytes.size() * kMaxLineBytes;
  return lines_of(start_of(m_journal, most));
}

/// Opens the journal if there is one.
Result<void> PartialFile::open_journal() {
  // O_NONBLOCK, because opening a FIFO may wait.
  m_journal = ::open(m_journal_path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (m_journal < 0 && errno == ENOENT) return {};
  if (m_journal < 0 && errno == ELOOP) return other_name(m_journal_path);
  if (m_journal < 0) return failed(m_journal_path);
  if (!is_file_of_one_name(m_journal)) return other_name(m_journal_path);
  return {};
}

/// Begins a new journal. One that an earlier run left is removed, and nothing else.
Result<void> PartialFile::start_journal(const std::string& job) {
  if (m_journal < 0) {
    if (auto opened = open_journal(); !opened) return opened;
  }
  if (m_journal >= 0) {
    const std::string start = start_of(m_journal, kMark.size());
    if (!start.empty() && start != kMark) return exists_already(m_journal_path);
    close(std::exchange(m_journal, -1));
    unlink(m_journal_path.c_str());
  }
  m_journal =
      ::open(m_journal_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (m_journal < 0) return failed(m_journal_path);
  const std::string line = std::string(kMark) + job + "\n";
  auto written = write_all(m_journal, std::as_bytes(std::span(line)), m_journal_path);
  if (!written) unlink(m_journal_path.c_str());
  return written;
}

/// The bytes of the first parts that match their lines; counts these parts.
uint64_t PartialFile::verify_parts(std::span<const std::string> lines, const Options& options) {
  Sha256 first;
  first.update(options.first);
  const std::string first_line = journal_line(options.first.size(), first.finish());
  uint64_t size = 0;
  for (const uint64_t bytes :
       std::span(options.part_bytes).first(std::min(lines.size(), options.part_bytes.size()))) {
    const std::string line = lines[m_num_parts] + "\n";
    if (m_num_parts == 0 && line != first_line) break;
    if (line_of(m_file, size, bytes) != line) break;
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
