#include "engine/quantize/partial_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "platform/file.h"

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
  const auto status = platform::status_of(descriptor);
  return status && status->is_regular && status->num_names <= 1;
}

/// The first bytes, at most `most`; empty if they cannot be read.
std::string start_of(int descriptor, size_t most) {
  std::string text(most, '\0');
  size_t size = 0;
  while (size < most) {
    const auto rest = std::as_writable_bytes(std::span(text)).subspan(size);
    const ptrdiff_t count = platform::read_at(descriptor, rest, size);
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
    const auto part = std::span(buffer).first(std::min<uint64_t>(left, buffer.size()));
    const ptrdiff_t count = platform::read_at(descriptor, part, offset + bytes - left);
    if (count <= 0) return {};
    hash.update(std::span(buffer).first(static_cast<size_t>(count)));
    left -= static_cast<uint64_t>(count);
  }
  return journal_line(bytes, hash.finish());
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
  std::error_code ignored;
  const bool is_empty =
      fs::is_regular_file(fs::symlink_status(part, ignored)) && fs::file_size(part, ignored) == 0;
  return platform::open_file(
      part, {.write = true, .create = true, .is_new = !resumes && !is_empty, .follow_link = false});
}

/// Whether an interrupted run's journal is there.
bool is_begun(const fs::path& path) {
  const fs::path journal = with_ending(path, ".part.log");
  const int descriptor = platform::open_file(journal, {.follow_link = false});
  if (descriptor < 0) return false;
  const bool has_mark = start_of(descriptor, kMark.size()) == kMark;
  platform::close_file(descriptor);
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
  if (m_file >= 0) platform::close_file(m_file);
  if (m_journal >= 0) platform::close_file(m_journal);
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
  const auto status = platform::status_of(descriptor);
  if (status && status->size == 0) platform::remove_file(part);
  return begun.error();
}

Result<void> PartialFile::lock() const {
  if (platform::try_lock(m_file)) return {};
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
    const auto status = platform::status_of(m_file);
    if (!status) return failed(m_part);
    return status->size > 0 ? another_job() : start_journal(options.job);
  }
  if (lines->front() != std::string(kMark) + options.job) return another_job();
  m_size = verify_parts(std::span(*lines).subspan(1), options);
  if (!platform::resize_file(m_file, m_size)) return failed(m_part);
  if (!platform::seek_to_end(m_file)) return failed(m_part);
  size_t journal_bytes = 0;
  for (size_t i = 0; i <= m_num_parts; ++i) journal_bytes += (*lines)[i].size() + 1;
  const bool is_cut = platform::resize_file(m_journal, journal_bytes);
  if (!is_cut || !platform::seek_to_end(m_journal)) return failed(m_journal_path);
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
  m_journal = platform::open_file(m_journal_path, {.write = true, .follow_link = false});
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
    platform::close_file(std::exchange(m_journal, -1));
    platform::remove_file(m_journal_path);
  }
  m_journal = platform::open_file(
      m_journal_path, {.write = true, .create = true, .is_new = true, .follow_link = false});
  if (m_journal < 0) return failed(m_journal_path);
  const std::string line = std::string(kMark) + job + "\n";
  auto written = write_all(m_journal, std::as_bytes(std::span(line)), m_journal_path);
  if (!written) platform::remove_file(m_journal_path);
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
    const ptrdiff_t count = platform::write_some(descriptor, bytes);
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
  platform::remove_file(m_part);
  platform::remove_file(m_journal_path);
}

Result<void> PartialFile::finish() {
  if (!platform::flush_file(m_file)) return failed(m_part);
  if (!platform::rename_to_new(m_part, m_path)) {
    return errno == EEXIST ? exists_already(m_path) : failed(m_path);
  }
  platform::remove_file(m_journal_path);
  // A folder that cannot be flushed costs at most the new name.
  platform::flush_folder(m_path.has_parent_path() ? m_path.parent_path() : fs::path("."));
  return {};
}

}  // namespace quire
