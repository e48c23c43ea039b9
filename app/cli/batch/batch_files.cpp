#include "app/cli/batch/batch_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "platform/file.h"

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
  static_cast<void>(platform::flush_folder(folder));
}

}  // namespace

Result<FileLines> FileLines::open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, path + " is a folder, not a file."};
  }
  File file(platform::open_stream(path, "rbe"), std::fclose);
  if (!file) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, "Cannot open " + path + ": " + reason() + "."};
  }
  return FileLines(path, std::move(file));
}

std::optional<FileLines::Line> FileLines::next() {
  Line line{.number = m_number + 1, .begin = m_offset};
  for (int c = platform::next_byte(m_file.get()); c != EOF; c = platform::next_byte(m_file.get())) {
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
  auto reader = FileLines::open(path);
  if (!reader) return reader.error();
  int64_t count = 0;
  while (const auto line = reader->next()) count += is_blank(line->text) ? 0 : 1;
  if (reader->error()) return *reader->error();
  return count;
}

Result<BatchOutput> BatchOutput::open(const std::string& path, const std::string& input) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(path, ignored);
  const int file = platform::open_file(path, {.write = true, .create = true, .append = true});
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
  if (m_file >= 0) platform::close_file(m_file);
}

Error BatchOutput::failure(const std::string& what) const {
  return {ErrorCode::kIo, "Cannot " + what + " the output " + m_path + ": " + reason() + "."};
}

Result<void> BatchOutput::check(const std::string& input) {
  const auto status = platform::status_of(m_file);
  if (!status) return failure("read");
  if (!status->is_regular) {
    return Error{ErrorCode::kInvalidArgument,
                 "The output " + m_path + " is not a plain file; choose another."};
  }
  const auto mine = platform::stamp_of(m_file);
  const auto other = platform::stamp_of(std::filesystem::path(input));
  if (mine && other && mine->device == other->device && mine->number == other->number) {
    return Error{ErrorCode::kInvalidArgument,
                 "The output is the input itself; choose another file."};
  }
  if (!platform::try_lock(m_file)) {
    return Error{ErrorCode::kInvalidArgument,
                 "Another batch is writing to " + m_path + "; wait for its end."};
  }
  return {};
}

Result<void> BatchOutput::read_answers() {
  auto reader = FileLines::open(m_path);
  if (!reader) return reader.error();
  while (const auto line = reader->next()) {
    if (!line->is_whole) {
      if (!platform::resize_file(m_file, static_cast<uint64_t>(line->begin)))
        return failure("repair");
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
  for (auto rest = std::as_bytes(std::span(text)); !rest.empty();) {
    const ptrdiff_t written = platform::write_some(m_file, rest);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failure("write");
    rest = rest.subspan(static_cast<size_t>(written));
  }
  if (!platform::flush_data(m_file)) return failure("write");
  return {};
}

}  // namespace quire
