#include "app/cli/batch/batch_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace quire {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;

std::string reason() {
  return std::strerror(errno);
}

/// The entry of a new file is on the disk, too.
void sync_folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

Result<LineReader> LineReader::open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, path + " is a folder, not a file."};
  }
  File file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, "Cannot open " + path + ": " + reason() + "."};
  }
  return LineReader(path, std::move(file));
}

std::optional<LineReader::Line> LineReader::next() {
  Line line{.number = m_number + 1, .begin = m_offset};
  for (int c = getc_unlocked(m_file.get()); c != EOF; c = getc_unlocked(m_file.get())) {
    ++m_offset;
    if (c == '\n') {
      m_number = line.number;
      return line;
    }
    if (line.text.size() < kMaxLineBytes) {
      line.text += static_cast<char>(c);
    } else {
      line.is_long = true;
    }
  }
  if (std::ferror(m_file.get()) != 0) {
    m_error = Error{ErrorCode::kIo, "Cannot read " + m_path + ": " + reason() + "."};
    return std::nullopt;
  }
  if (m_offset == line.begin) return std::nullopt;
  line.is_whole = false;
  m_number = line.number;
  return line;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

Result<int64_t> count_lines(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return reader.error();
  int64_t count = 0;
  while (const auto line = reader->next()) count += is_blank(line->text) ? 0 : 1;
  if (reader->error()) return *reader->error();
  return count;
}

Result<BatchOutput> BatchOutput::open(const std::string& path, const std::string& input) {
  const bool is_new = access(path.c_str(), F_OK) != 0;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    return Error{ErrorCode::kIo, "Cannot open the output " + path + ": " + reason() + "."};
  }
  BatchOutput output(path, file);
  if (const auto checked = output.check(input); !checked) return checked.error();
  if (is_new) sync_folder_of(path);
  if (const auto read = output.read_answers(); !read) return read.error();
  return output;
}

BatchOutput::BatchOutput(BatchOutput&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_file(std::exchange(other.m_file, -1)),
      m_answers(std::move(other.m_answers)) {}

BatchOutput::~BatchOutput() {
  if (m_file >= 0) close(m_file);
}

Error BatchOutput::failure(const std::string& what) const {
  return {ErrorCode::kIo, "Cannot " + what + " the output " + m_path + ": " + reason() + "."};
}

Result<void> BatchOutput::check(const std::string& input) {
  struct stat mine {};
  struct stat other {};
  if (fstat(m_file, &mine) != 0) return failure("read");
  if (!S_ISREG(mine.st_mode)) {
    return Error{ErrorCode::kInvalidArgument,
                 "The output " + m_path + " is not a plain file; choose another."};
  }
  const bool has_input = stat(input.c_str(), &other) == 0;
  if (has_input && mine.st_dev == other.st_dev && mine.st_ino == other.st_ino) {
    return Error{ErrorCode::kInvalidArgument,
                 "The output is the input itself; choose another file."};
  }
  if (flock(m_file, LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "Another batch is writing to " + m_path + "; wait for its end."};
  }
  return {};
}

Result<void> BatchOutput::read_answers() {
  auto reader = LineReader::open(m_path);
  if (!reader) return reader.error();
  while (const auto line = reader->next()) {
    if (!line->is_whole) {
      if (ftruncate(m_file, line->begin) != 0) return failure("repair");
      return {};
    }
    const BatchAnswerHead head = parse_answer_head(line->text);
    if (head.key.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   "Line " + std::to_string(line->number) + " of " + m_path +
                       " is no answer of a batch, so it is not written to; choose another file."};
    }
    m_answers[head.key] = head.failed ? Found::kError : Found::kAnswer;
  }
  if (reader->error()) return *reader->error();
  return {};
}

Result<void> BatchOutput::append(std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(m_file, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failure("write");
    at += static_cast<size_t>(written);
  }
  if (fdatasync(m_file) != 0) return failure("write");
  return {};
}

}  // namespace quire
