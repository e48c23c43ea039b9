#include "engine/template/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

namespace quire::jinja {

namespace {

/// The first range that ends after `offset`.
auto first_after(const std::vector<ByteRange>& ranges, size_t offset) {
  return std::upper_bound(ranges.begin(), ranges.end(), offset,
                          [](size_t at, const ByteRange& range) { return at < range.end; });
}

}  // namespace

Text::Text(std::string bytes, std::vector<ByteRange> input, size_t* live_bytes)
    : m_bytes(std::move(bytes)), m_input(std::move(input)), m_live_bytes(live_bytes) {
  if (m_live_bytes) *m_live_bytes += memory_bytes();
}

Text::~Text() {
  if (m_live_bytes) *m_live_bytes -= memory_bytes();
}

size_t Text::memory_bytes() const {
  constexpr size_t kAllocationBytes = 32;  // Of the object and its reference count.
  return sizeof(Text) + kAllocationBytes + m_bytes.size() + m_input.size() * sizeof(ByteRange);
}

bool Text::is_input_at(size_t offset) const {
  auto range = first_after(m_input, offset);
  return range != m_input.end() && range->begin <= offset;
}

void append_range(std::vector<ByteRange>& ranges, ByteRange range) {
  if (range.begin >= range.end) return;
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

void append_clipped(std::vector<ByteRange>& out, const std::vector<ByteRange>& ranges, size_t begin,
                    size_t end, size_t shift) {
  for (auto range = first_after(ranges, begin); range != ranges.end() && range->begin < end;
       ++range) {
    const size_t from = std::max<size_t>(range->begin, begin) - begin + shift;
    const size_t to = std::min<size_t>(range->end, end) - begin + shift;
    append_range(out, {static_cast<uint32_t>(from), static_cast<uint32_t>(to)});
  }
}

namespace {

/// A byte that is no UTF-8 is kept as this plus its value, as Python's surrogateescape does.
constexpr char32_t kEscapedByte = 0xDC00;

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

/// A character's full case folding, which is several characters where its other cases are.
CaseMapping fold(char32_t c) {
  utf8proc_int32_t folded[4];
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), folded, 4,
                                             UTF8PROC_CASEFOLD, nullptr);
  CaseMapping mapping;
  for (utf8proc_ssize_t i = 0; i < count && i < 3; ++i) {
    mapping.values[static_cast<size_t>(mapping.count++)] = static_cast<char32_t>(folded[i]);
  }
  return mapping;
}

char32_t simple_upper(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}

}  // namespace

CodePoint decode(std::string_view text, size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  if (lead < 0x80) return {lead, 1};
  utf8proc_int32_t value = 0;
  const auto length = utf8proc_iterate(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
      static_cast<utf8proc_ssize_t>(std::min<size_t>(4, text.size() - at)), &value);
  if (length <= 0) return {kEscapedByte + lead, 1};
  return {static_cast<char32_t>(value), static_cast<uint32_t>(length)};
}

size_t previous(std::string_view text, size_t end) {
  for (size_t length = std::min<size_t>(4, end); length > 1; --length) {
    if (decode(text, end - length).length == length) return end - length;
  }
  return end - 1;
}

void append_utf8(std::string& out, char32_t c) {
  if (c >= kEscapedByte + 0x80 && c <= kEscapedByte + 0xFF) {
    out += static_cast<char>(c - kEscapedByte);
    return;
  }
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length));
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += decode(text, at).length) ++count;
  return count;
}

size_t byte_offset(std::string_view text, size_t index) {
  size_t at = 0;
  while (index > 0 && at < text.size()) {
    at += decode(text, at).length;
    --index;
  }
  return at;
}

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_alpha(char32_t c) {
  return category(c) >= UTF8PROC_CATEGORY_LU && category(c) <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_ND;
}

bool is_alnum(char32_t c) {
  return is_alpha(c) ||
         (category(c) >= UTF8PROC_CATEGORY_ND && category(c) <= UTF8PROC_CATEGORY_NO);
}

bool is_printable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    case UTF8PROC_CATEGORY_ZS:
      return c == ' ';
    default:
      return true;
  }
}

// utf8proc has the simple mappings; the full ones follow from the full case folding.

CaseMapping to_upper(char32_t c) {
  if (c < 0x80) return {{c >= 'a' && c <= 'z' ? c - 0x20 : c}, 1};
  CaseMapping folded = fold(c);
  if (folded.count < 2 || category(c) == UTF8PROC_CATEGORY_LU) return {{simple_upper(c)}, 1};
  for (char32_t& value : folded.values) value = simple_upper(value);
  return folded;
}

CaseMapping to_lower(char32_t c) {
  if (c == 0x130) return {{'i', 0x307}, 2};  // The only one with two characters.
  return {{static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)))}, 1};
}

CaseMapping to_title(char32_t c) {
  return {{static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c)))}, 1};
}

}  // namespace quire::jinja
