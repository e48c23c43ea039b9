#include "engine/io/json_tokens.h"

#include <algorithm>
#include <charconv>

#include "kernels/base/check.h"

namespace quire {
namespace {

/// Shorter texts are left to the parser, whose messages say more.
constexpr size_t kShortTextBytes = 65536;

uint8_t byte_at(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<uint8_t>(text[at]) : 0;
}

/// The number of bytes of the UTF-8 character that begins at `at`; 0 if it is ill-formed (RFC
/// 3629).
size_t character_bytes(std::string_view text, size_t at) {
  const auto is_in = [&](size_t place, int first, int last) {
    const int byte = byte_at(text, place);
    return byte >= first && byte <= last;
  };
  const uint8_t lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const int first = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const int last = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (!is_in(at + 1, first, last)) return 0;
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (size_t i = 2; i < length; ++i) {
    if (!is_in(at + i, 0x80, 0xBF)) return 0;
  }
  return length;
}

/// The code unit of "\uXXXX" at `at`; -1 if there is none.
int escaped_unit(std::string_view text, size_t at) {
  if (byte_at(text, at) != '\\' || byte_at(text, at + 1) != 'u') return -1;
  int unit = 0;
  for (size_t i = at + 2; i < at + 6; ++i) {
    const int c = byte_at(text, i);
    const int lower = c | 0x20;
    const int digit = c >= '0' && c <= '9'           ? c - '0'
                      : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                     : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/// The number of bytes of the escape at `at`; 0 if there is no such escape.
size_t escape_bytes(std::string_view text, size_t at) {
  if (byte_at(text, at + 1) != 'u') {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    const bool is_known =
        at + 1 < text.size() && kLetters.find(text[at + 1]) != std::string_view::npos;
    return is_known ? 2 : 0;
  }
  const int unit = escaped_unit(text, at);
  if (unit < 0 || (unit >= 0xDC00 && unit <= 0xDFFF)) return 0;
  if (unit < 0xD800 || unit > 0xDBFF) return 6;
  const int low = escaped_unit(text, at + 6);
  return low >= 0xDC00 && low <= 0xDFFF ? 12 : 0;
}

/// Behind the quote that ends the text which begins at `begin`; npos without one.
size_t end_of_text(std::string_view text, size_t begin) {
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return text.npos;
}

/// Where the text in [begin, end), quotes included, is not JSON; npos if it is.
size_t find_damage(std::string_view text, size_t begin, size_t end) {
  for (size_t at = begin + 1; at + 1 < end;) {
    const uint8_t byte = byte_at(text, at);
    const size_t length = byte < 0x20    ? 0
                          : byte == '\\' ? escape_bytes(text, at)
                                         : character_bytes(text, at);
    if (length == 0) return at;
    at += length;
  }
  return text.npos;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether a byte of a text stands for itself, alone.
bool is_plain(char c) {
  return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void append_utf_8(uint32_t code, std::string& to) {
  const auto add = [&](uint32_t byte) { to += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
    }
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

/// Appends the character of the escape at `at`, of which escape_bytes() says that it is one.
void append_escape(std::string_view text, size_t at, std::string& to) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
  if (text[at + 1] != 'u') {
    to += kCharacters[kLetters.find(text[at + 1])];
    return;
  }
  const auto unit = static_cast<uint32_t>(escaped_unit(text, at));
  const bool is_high = unit >= 0xD800 && unit <= 0xDBFF;
  const auto low = is_high ? static_cast<uint32_t>(escaped_unit(text, at + 6)) : 0;
  append_utf_8(is_high ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : unit, to);
}

bool is_number_byte(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

}  // namespace

std::optional<JsonTokenFault> find_json_token_fault(std::string_view text, size_t max_text_bytes) {
  using Kind = JsonTokenFault::Kind;
  size_t gap = 0;  // Where the last text or number ended.
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (text[at] == '"') {
      const size_t end = end_of_text(text, at);
      gap = at = std::min(end, text.size());
      if (at - begin <= kShortTextBytes) continue;
      if (end == text.npos) return JsonTokenFault{Kind::kDamaged, begin};
      if (end - begin - 2 > max_text_bytes) return JsonTokenFault{Kind::kLongText, begin};
      const size_t damage = find_damage(text, begin, end);
      if (damage != text.npos) return JsonTokenFault{Kind::kDamaged, damage};
    } else if (is_number_byte(text[at])) {
      while (at < text.size() && is_number_byte(text[at])) ++at;
      if (at - begin > kMaxJsonNumberBytes) return JsonTokenFault{Kind::kNumber, begin};
      gap = at;
    } else if (++at - gap > kMaxJsonGapBytes) {
      return JsonTokenFault{Kind::kGap, gap};
    }
  }
  return std::nullopt;
}

JsonReader::JsonReader(std::string_view text, const JsonLimits& limits)
    : m_text(text), m_max_depth(limits.max_depth), m_max_values(limits.max_values) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  CHECK(m_max_depth <= 64);
  if (text.starts_with(kByteOrderMark)) m_at = kByteOrderMark.size();
}

JsonReader::Token JsonReader::next() {
  if (m_state == State::kInvalid) return Token::kInvalid;
  skip_blanks();
  if (m_state == State::kValue) return value();
  if (m_depth == 0) return m_at == m_text.size() ? Token::kEnd : fail();
  if (peek() == (is_in_object() ? '}' : ']')) return close();
  if (m_state == State::kFirst) return item();
  if (peek() != ',') return fail();
  ++m_at;
  skip_blanks();
  return item();
}

void JsonReader::skip(Token first) {
  if (first != Token::kObject && first != Token::kArray) return;
  const int outside = m_depth - 1;
  while (m_depth > outside && next() != Token::kInvalid) {
  }
}

JsonReader::Token JsonReader::counted(Token token, State state) {
  if (++m_num_values > m_max_values) return fail();
  m_state = state;
  return token;
}

JsonReader::Token JsonReader::item() {
  return is_in_object() ? key() : value();
}

JsonReader::Token JsonReader::key() {
  if (peek() != '"' || !read_text()) return fail();
  skip_blanks();
  if (peek() != ':') return fail();
  ++m_at;
  return counted(Token::kKey, State::kValue);
}

JsonReader::Token JsonReader::value() {
  switch (peek()) {
    case '{':
      return open(Token::kObject);
    case '[':
      return open(Token::kArray);
    case '"':
      return read_text() ? counted(Token::kString, State::kAfter) : fail();
    case 't':
    case 'f':
    case 'n':
      return literal();
    default:
      return number();
  }
}

JsonReader::Token JsonReader::literal() {
  for (const std::string_view word : {"true", "false", "null"}) {
    if (m_text.substr(m_at, word.size()) != word) continue;
    m_at += word.size();
    return counted(Token::kOther, State::kAfter);
  }
  return fail();
}

JsonReader::Token JsonReader::number() {
  const size_t begin = m_at;
  if (peek() == '-') ++m_at;
  const size_t first = m_at;
  skip_digits();
  const size_t num_digits = m_at - first;
  if (num_digits == 0 || (num_digits > 1 && m_text[first] == '0')) return fail();
  bool is_natural = first == begin;
  if (peek() == '.') {
    is_natural = false;
    const size_t fraction = ++m_at;
    skip_digits();
    if (m_at == fraction) return fail();
  }
  if (peek() == 'e' || peek() == 'E') {
    is_natural = false;
    ++m_at;
    if (peek() == '+' || peek() == '-') ++m_at;
    const size_t exponent = m_at;
    skip_digits();
    if (m_at == exponent) return fail();
  }
  if (m_at - begin > kMaxJsonNumberBytes) return fail();
  if (is_natural) {
    const char* const end = m_text.data() + m_at;
    is_natural = std::from_chars(m_text.data() + begin, end, m_natural).ec == std::errc();
  }
  return counted(is_natural ? Token::kNatural : Token::kOther, State::kAfter);
}

JsonReader::Token JsonReader::open(Token token) {
  if (m_depth == m_max_depth) return fail();
  const uint64_t bit = uint64_t{1} << m_depth++;
  m_objects = token == Token::kObject ? m_objects | bit : m_objects & ~bit;
  ++m_at;
  return counted(token, State::kFirst);
}

JsonReader::Token JsonReader::close() {
  const Token token = is_in_object() ? Token::kObjectEnd : Token::kArrayEnd;
  --m_depth;
  ++m_at;
  m_state = State::kAfter;
  return token;
}

/// Reads the text at the quote here into m_value; false if it is none.
bool JsonReader::read_text() {
  const size_t begin = ++m_at;
  bool has_escapes = false;
  while (true) {
    while (m_at < m_text.size() && is_plain(m_text[m_at])) ++m_at;
    const uint8_t byte = byte_at(m_text, m_at);
    if (byte == '"') break;
    has_escapes = has_escapes || byte == '\\';
    const size_t length = byte < 0x20    ? 0
                          : byte == '\\' ? escape_bytes(m_text, m_at)
                                         : character_bytes(m_text, m_at);
    if (length == 0) return false;
    m_at += length;
  }
  m_value = m_text.substr(begin, m_at - begin);
  if (has_escapes) decode_text(begin, m_at);
  ++m_at;
  return true;
}

void JsonReader::decode_text(size_t begin, size_t end) {
  m_decoded.clear();
  for (size_t at = begin; at < end;) {
    const size_t escape = std::min(m_text.find('\\', at), end);
    m_decoded += m_text.substr(at, escape - at);
    if (escape == end) break;
    append_escape(m_text, escape, m_decoded);
    at = escape + escape_bytes(m_text, escape);
  }
  m_value = m_decoded;
}

void JsonReader::skip_blanks() {
  while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' ||
                                  m_text[m_at] == '\t' || m_text[m_at] == '\r')) {
    ++m_at;
  }
}

void JsonReader::skip_digits() {
  while (m_at < m_text.size() && is_digit(m_text[m_at])) ++m_at;
}

}  // namespace quire
