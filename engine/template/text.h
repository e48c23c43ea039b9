#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quire::jinja {

/// Bytes [begin, end) of a text.
struct ByteRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// An immutable string of UTF-8 bytes with the ranges that came from the input (a message, a tool)
/// rather than from the template. Bytes that are not UTF-8 are kept and count as one
/// character each.
/// Invariants: `input` is sorted, its ranges are not empty and do not touch.
class Text {
 public:
  /// `live_bytes`, where given, is a count of bytes in use that this text takes part in for as
  /// long as it lives; the count must outlive the text.
  Text(std::string bytes, std::vector<ByteRange> input, size_t* live_bytes = nullptr);
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text();

  const std::string& bytes() const { return m_bytes; }
  std::string_view view() const { return m_bytes; }
  const std::vector<ByteRange>& input() const { return m_input; }
  bool is_input_at(size_t offset) const;

 private:
  size_t memory_bytes() const;

  std::string m_bytes;
  std::vector<ByteRange> m_input;
  size_t* m_live_bytes;
};

using TextRef = std::shared_ptr<const Text>;

/// Appends a range, joined to the last one where they touch. Empty ranges are dropped.
void append_range(std::vector<ByteRange>& ranges, ByteRange range);

/// The ranges of `ranges` within [begin, end), moved by `shift - begin`, appended to `out`.
void append_clipped(std::vector<ByteRange>& out, const std::vector<ByteRange>& ranges, size_t begin,
                    size_t end, size_t shift);

/// One character of UTF-8 text. A byte that is not part of valid UTF-8 decodes alone, to
/// 0xDC00 + byte (as Python's surrogateescape does), so that it can be written back unchanged.
struct CodePoint {
  char32_t value = 0;
  uint32_t length = 0;  ///< In bytes.
};

/// The character that starts at byte `at`, which must be inside `text`.
CodePoint decode(std::string_view text, size_t at);
/// Where the character before `end` begins; `end` is not 0.
size_t previous(std::string_view text, size_t end);
void append_utf8(std::string& out, char32_t code_point);

size_t count_code_points(std::string_view text);
/// Where the character with index `index` starts, or the end of the text when there are fewer.
size_t byte_offset(std::string_view text, size_t index);

/// As Python's str methods of these names, for one character; only decimal digits are digits.
bool is_space(char32_t c);
bool is_alpha(char32_t c);
bool is_digit(char32_t c);
bool is_alnum(char32_t c);
bool is_printable(char32_t c);

/// Up to three characters that replace one (the capital of a German sharp s is SS).
struct CaseMapping {
  std::array<char32_t, 3> values{};
  int count = 0;
};
CaseMapping to_upper(char32_t c);
CaseMapping to_lower(char32_t c);
CaseMapping to_title(char32_t c);

}  // namespace quire::jinja
