#include "app/cli/batch/batch_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "platform/file.h"

namespace quire {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;
// The vectors of 2,048 texts take hundreds of megabytes.
constexpr LineLimits kOutputLimits = {.most_bytes = size_t{512} << 20, .allows_zeros = true};

std::string reason() {
  return std::strerror(errno);
}

/// The entry of a new file is on the disk, too.
void sync_folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  static_cast<void>(platform::flush_folder(folder));
}

/// Whether a run that ended early may have left this: the beginning of an answer, zeros after a
/// power failure, or both.
bool may_be_torn(std::string_view text) {
  constexpr std::string_view kBegin = "{\"id\":\"batch_req_";
  text = text.substr(0, text.find_last_not_of('\0') + 1);
  return text.substr(0, kBegin.size()) == kBegin.substr(0, text.size());
}

}  // namespace

Result<FileLines> FileLines::open(const std::string& path, const LineLimits& limits) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    return Error{ErrorCode::kIo, path + " is a folder, not a file."};
  }
  // A device may have no end, and opening a pipe waits for its other end.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Error{ErrorCode::kInvalidArgument, path + " is not a plain file; choose another."};
  }
  File file(platform::open_stream(path, "rbe"), std::fclose);
  if (!file) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, "Cannot open " + path + ": " + reason() + "."};
  }
  return FileLines(path, std::move(file), limits);
}

bool FileLines::fill() {
  if (m_at < m_buffer.size()) return true;
  m_buffer.resize(kBufferBytes);
  m_buffer.resize(std::fread(m_buffer.data(), 1, m_buffer.size(), m_file.get()));
  m_at = 0;
  return !m_buffer.empty();
}

bool FileLines::add(Line& line, std::string_view piece) {
  const auto refuse = [&](const std::string& why) {
    const std::string place = m_path + ", line " + std::to_string(line.number) + ", ";
    m_error = Error{ErrorCode::kInvalidArgument, place + why};
    return false;
  };
  m_at += piece.size();
  m_offset += static_cast<int64_t>(piece.size());
  if (static_cast<size_t>(m_offset - line.begin) > m_limits.most_bytes) {
    return refuse("is longer than " + std::to_string(m_limits.most_bytes >> 20) +
                  " MiB; make it shorter, or choose another file.");
  }
  if (!m_limits.allows_zeros && piece.find('\0') != piece.npos) {
    return refuse("has a zero byte, so the file is no text in UTF-8; choose another.");
  }
  const size_t room = kMaxBatchLineBytes - line.text.size();
  line.is_long = line.is_long || piece.size() > room;
  line.text += piece.substr(0, room);
  return true;
}

std::optional<FileLines::Line> FileLines::next() {
  Line line{.number = m_number + 1, .begin = m_offset};
  while (fill()) {
    const std::string_view rest = std::string_view(m_buffer).substr(m_at);
    const size_t length = std::min(rest.find('\n'), rest.size());
    if (!add(line, rest.substr(0, length))) return std::nullopt;
    if (length == rest.size()) continue;
    ++m_at;
    ++m_offset;
    m_number = line.number;
    return line;
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
  auto reader = FileLines::open(m_path, kOutputLimits);
  if (!reader) return reader.error();
  while (const auto line = reader->next()) {
    const bool is_torn = !line->is_whole && may_be_torn(line->text);
    if (is_torn && !platform::resize_file(m_file, static_cast<uint64_t>(line->begin))) {
      return failure("repair");
    }
    if (is_torn) return {};
    const BatchAnswerHead head = line->is_whole
                                     ? parse_answer_head(line->text, /*is_cut=*/line->is_long)
                                     : BatchAnswerHead{};
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
