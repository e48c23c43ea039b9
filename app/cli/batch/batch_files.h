#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/cli/batch/batch_line.h"
#include "kernels/base/hash_bytes.h"
#include "kernels/base/result.h"

namespace quire {

/// The most of a line that is kept in memory.
inline constexpr size_t kMaxBatchLineBytes = size_t{32} << 20;

/// What is an error of FileLines::next(). The defaults are those of an input.
struct LineLimits {
  size_t most_bytes = kMaxBatchLineBytes;  ///< Of a line.
  bool allows_zeros = false;               ///< Zero bytes.
};

/// Reads a file line by line; a file may have millions of lines, of which one is in memory.
class FileLines {
 public:
  /// Errors: kNotFound, kIo, kInvalidArgument for what is not a plain file.
  static Result<FileLines> open(const std::string& path, const LineLimits& limits = {});

  struct Line {
    std::string text;      ///< Without its newline.
    int64_t number = 0;    ///< From 1.
    int64_t begin = 0;     ///< Where it begins in the file, in bytes.
    bool is_whole = true;  ///< It ends with a newline.
    bool is_long = false;  ///< Longer than kMaxBatchLineBytes: `text` is its beginning.
  };
  /// Nothing after the last line, where the file cannot be read, and at a line beyond the limits:
  /// error().
  std::optional<Line> next();
  const std::optional<Error>& error() const { return m_error; }

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  FileLines(std::string path, File file, const LineLimits& limits)
      : m_path(std::move(path)), m_file(std::move(file)), m_limits(limits) {}
  /// Reads on if the buffer is used up; false at the end of the file, or where it cannot be read.
  bool fill();
  /// Appends a piece of the buffer; false, with error(), beyond the limits.
  bool add(Line& line, std::string_view piece);

  std::string m_path;
  File m_file;
  LineLimits m_limits;
  std::string m_buffer;
  size_t m_at = 0;  ///< In the buffer.
  int64_t m_number = 0;
  int64_t m_offset = 0;
  std::optional<Error> m_error;
};

/// How many lines of a file are not blank. Errors: as FileLines.
Result<int64_t> count_lines(const std::string& path);
bool is_blank(std::string_view line);

/// The output of a batch: one line an answer, each on the disk before it counts.
/// Invariants: what append() returned for without an error survives a power failure; the file is
/// only ever appended to, apart from a last line that an earlier run did not finish, which is
/// removed; no other run writes to it meanwhile.
class BatchOutput {
 public:
  /// Opens the file or makes it, and reads which lines it has answers to. Errors: kIo,
  /// kInvalidArgument for a file that holds something else, that is not a plain file, is the input,
  /// or that another run writes to.
  static Result<BatchOutput> open(const std::string& path, const std::string& input);
  BatchOutput(BatchOutput&& other) noexcept;
  BatchOutput& operator=(BatchOutput&&) = delete;
  ~BatchOutput();

  enum class Found { kNothing, kAnswer, kError };
  /// What the file had for a line when it was opened. Of several answers the last one counts.
  Found find(const std::string& key) const {
    const auto found = m_answers.find(key);
    return found == m_answers.end() ? Found::kNothing : found->second;
  }

  /// Errors: kIo, after which the file may end with a part of a line.
  Result<void> append(std::span<const std::string> lines);

 private:
  BatchOutput(std::string path, int file) : m_path(std::move(path)), m_file(file) {}
  Result<void> check(const std::string& input);
  Result<void> read_answers();
  Error failure(const std::string& what) const;

  std::string m_path;
  int m_file = -1;
  std::unordered_map<std::string, Found, BytesHash, std::equal_to<>> m_answers;
};

}  // namespace quire
