#include "engine/template/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "engine/template/errors.h"
#include "engine/template/text.h"

namespace quire::jinja {

std::string normalize_newlines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
    } else {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

namespace {

bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Where the digits from `at` on end.
size_t skip_digits(std::string_view text, size_t at) {
  while (at < text.size() && is_decimal_digit(text[at])) ++at;
  return at;
}

/// An exponent such as e-5 at `at`; returns where it ends, or `at`.
size_t skip_exponent(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  size_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  const size_t end = skip_digits(text, digits);
  return end > digits ? end : at;
}

/// The character whose hexadecimal number the digits are; false where they are none.
bool append_numbered(std::string_view digits, std::string& out) {
  uint32_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || value > 0x10FFFF) return false;
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  append_utf8(out, is_surrogate ? 0xFFFD : value);
  return true;
}

/// Reads one escape whose letter is at `at`; returns what follows it, npos for one that is
/// malformed or rare: octal numbers, characters by name, control characters such as \a.
size_t read_escape(std::string_view content, size_t at, std::string& out) {
  constexpr std::string_view kLetters = "ntr\\'\"", kMeanings = "\n\t\r\\'\"";
  const char c = content[at];
  if (c == '\n') return at + 1;
  if (const size_t found = kLetters.find(c); found != kLetters.npos) {
    out += kMeanings[found];
    return at + 1;
  }
  if (const size_t count = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0) {
    const std::string_view digits = content.substr(at + 1, count);
    if (digits.size() < count || !append_numbered(digits, out)) return content.npos;
    return at + 1 + count;
  }
  if (is_decimal_digit(c) || std::string_view("abfvN").find(c) != std::string_view::npos) {
    return content.npos;
  }
  out += '\\';
  return at;
}

/// The first offset from `at` on that is not whitespace (Unicode's, as Python's \s).
size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size()) {
    const CodePoint c = decode(text, at);
    if (!is_space(c.value)) break;
    at += c.length;
  }
  return at;
}

std::string_view strip_right(std::string_view text) {
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text, at);
    at += c.length;
    if (!is_space(c.value)) end = at;
  }
  return text.substr(0, end);
}

/// Part of a name: letters, digits, underscore, and every character beyond ASCII.
bool is_name_byte(char c) {
  return is_decimal_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// The length of the number that `text` starts with, 0 where there is none.
size_t match_float(std::string_view text) {
  const size_t whole = skip_digits(text, 0);
  if (whole == 0) return 0;
  size_t end = whole;
  if (end < text.size() && text[end] == '.') {
    const size_t fraction = skip_digits(text, end + 1);
    if (fraction > end + 1) end = fraction;
  }
  const size_t exponent = skip_exponent(text, end);
  if (exponent > end) return exponent;
  return end > whole ? end : 0;
}

size_t match_integer(std::string_view text) {
  if (!text.starts_with('0')) return skip_digits(text, 0);
  return std::min(text.find_first_not_of('0'), text.size());  // Only zeros may follow a zero.
}

/// Appends a string literal's content to `out`, with Python's escapes replaced. False where an
/// escape is malformed.
bool unescape(std::string_view content, std::string& out) {
  for (size_t at = 0; at < content.size();) {
    if (content[at] != '\\') {
      out += content[at++];
      continue;
    }
    if (at + 1 >= content.size()) return false;
    at = read_escape(content, at + 1, out);
    if (at == content.npos) return false;
  }
  return true;
}

/// Where a tag starts in template data.
struct Tag {
  size_t begin = 0;
  char kind = 0;  ///< '{' for {{, '%' for {%, '#' for {#.
  char sign = 0;  ///< '-', '+' or 0.
  size_t end = 0;
};

class Lexer {
 public:
  Lexer(std::string_view source, WorkBudget& budget) : m_source(source), m_budget(budget) {}

  Result<std::vector<Token>> run() {
    while (!m_error && m_at < m_source.size()) read_data();
    push(TokenKind::kEnd, m_source.size(), "");
    if (m_error) return *m_error;
    return std::move(m_tokens);
  }

 private:
  void push(TokenKind kind, size_t offset, std::string text) {
    if (!m_budget.spend() || !m_budget.reserve(sizeof(Token) + text.size())) [[unlikely]] {
      return fail_for_work(offset);
    }
    m_tokens.push_back({kind, static_cast<uint32_t>(offset), std::move(text)});
  }
  // Where it is inlined, push() is not, which makes the lexer a twentieth slower.
  [[gnu::cold, gnu::noinline]] void fail_for_work(size_t offset) {
    fail(offset, m_budget.error("the template").message);
  }
  void fail(size_t offset, std::string_view message) {
    if (!m_error) m_error = error_at(m_source, static_cast<uint32_t>(offset), message);
  }
  char at(size_t offset) const { return offset < m_source.size() ? m_source[offset] : '\0'; }
  bool starts(size_t offset, std::string_view what) const {
    return offset <= m_source.size() && m_source.substr(offset).starts_with(what);
  }
  void advance_to(size_t offset) {
    m_line_starts = offset > 0 && m_source[offset - 1] == '\n';
    m_at = offset;
  }

  std::optional<Tag> find_tag(size_t from) const;
  size_t after_block_end(size_t close, char sign) const;
  void push_data(std::string_view text, size_t offset, char sign, bool may_strip_line);
  void read_data();
  void read_comment(const Tag& tag);
  void read_expression_tokens(const Tag& tag);
  bool read_tag_end(bool is_variable);
  void read_token();
  void read_string();
  void read_operator();
  std::string unexpected_bracket(char found) const;

  std::string_view m_source;
  WorkBudget& m_budget;
  size_t m_at = 0;
  bool m_line_starts = true;  ///< Whether what was read last ended a line.
  std::string m_open;         ///< Closing brackets that are still to come.
  std::vector<Token> m_tokens;
  std::optional<Error> m_error;
};

std::optional<Tag> Lexer::find_tag(size_t from) const {
  for (size_t i = m_source.find('{', from); i != m_source.npos; i = m_source.find('{', i + 1)) {
    const char kind = at(i + 1);
    if (kind != '{' && kind != '%' && kind != '#') continue;
    const char sign = at(i + 2) == '-' || at(i + 2) == '+' ? at(i + 2) : '\0';
    return Tag{i, kind, sign, i + 2 + (sign ? 1 : 0)};
  }
  return {};
}

void Lexer::push_data(std::string_view text, size_t offset, char sign, bool may_strip_line) {
  if (sign == '-') {
    text = strip_right(text);
  } else if (sign != '+' && may_strip_line) {
    const size_t line = text.rfind('\n') + 1;  // npos + 1 is 0.
    if ((line > 0 || m_line_starts) && skip_space(text, line) == text.size()) {
      text = text.substr(0, line);
    }
  }
  if (!text.empty()) push(TokenKind::kData, offset, std::string(text));
}

void Lexer::read_data() {
  const std::optional<Tag> tag = find_tag(m_at);
  if (!tag) {
    push(TokenKind::kData, m_at, std::string(m_source.substr(m_at)));
    m_at = m_source.size();
    return;
  }
  push_data(m_source.substr(m_at, tag->begin - m_at), m_at, tag->sign, tag->kind != '{');
  if (tag->kind == '#') return read_comment(*tag);
  read_expression_tokens(*tag);
}

/// Where the text continues after a closing "%}" or "#}" at `close`, which `sign` precedes.
size_t Lexer::after_block_end(size_t close, char sign) const {
  const size_t end = close + 2;
  if (sign == '-') return skip_space(m_source, end);
  return sign != '+' && at(end) == '\n' ? end + 1 : end;
}

void Lexer::read_comment(const Tag& tag) {
  const size_t close = m_source.find("#}", tag.end);
  if (close == m_source.npos) return fail(tag.begin, "this comment is not closed with #}");
  const char before = close > tag.end ? at(close - 1) : '\0';
  advance_to(after_block_end(close, before));
}

void Lexer::read_expression_tokens(const Tag& tag) {
  const bool is_variable = tag.kind == '{';
  push(is_variable ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, tag.begin, "");
  m_at = tag.end;
  m_open.clear();
  // The content of a raw block does not consist of tokens.
  if (!is_variable && starts(skip_space(m_source, m_at), "raw")) {
    return fail(tag.begin, "{% raw %} is not supported in chat templates");
  }
  while (!m_error) {
    if (m_open.empty() && read_tag_end(is_variable)) return;
    const size_t after_space = skip_space(m_source, m_at);
    if (after_space > m_at) {
      m_at = after_space;
    } else if (m_at >= m_source.size()) {
      fail(tag.begin,
           is_variable ? "this {{ is not closed with }}" : "this {% is not closed with %}");
    } else {
      read_token();
    }
  }
}

bool Lexer::read_tag_end(bool is_variable) {
  const std::string_view close = is_variable ? "}}" : "%}";
  const char sign = at(m_at) == '-' || (at(m_at) == '+' && !is_variable) ? at(m_at) : '\0';
  const size_t begin = m_at + (sign ? 1 : 0);
  if (!starts(begin, close)) return false;
  push(is_variable ? TokenKind::kVariableEnd : TokenKind::kBlockEnd, m_at, "");
  if (is_variable) {
    advance_to(sign == '-' ? skip_space(m_source, begin + 2) : begin + 2);
  } else {
    advance_to(after_block_end(begin, sign));
  }
  return true;
}

void Lexer::read_token() {
  const size_t begin = m_at;
  const bool after_dot = begin > 0 && m_source[begin - 1] == '.';
  if (const size_t length = after_dot ? 0 : match_float(m_source.substr(begin))) {
    m_at += length;
    push(TokenKind::kFloat, begin, std::string(m_source.substr(begin, length)));
  } else if (const size_t digits = match_integer(m_source.substr(begin))) {
    m_at += digits;
    push(TokenKind::kInteger, begin, std::string(m_source.substr(begin, digits)));
  } else if (is_name_byte(at(begin))) {
    while (m_at < m_source.size() && is_name_byte(at(m_at))) ++m_at;
    push(TokenKind::kName, begin, std::string(m_source.substr(begin, m_at - begin)));
  } else if (at(begin) == '\'' || at(begin) == '"') {
    read_string();
  } else {
    read_operator();
  }
}

void Lexer::read_string() {
  const size_t begin = m_at;
  const char quote = at(begin);
  size_t end = begin + 1;
  while (end < m_source.size() && at(end) != quote) end += at(end) == '\\' ? 2 : 1;
  if (end >= m_source.size()) return fail(begin, "this string is not closed");
  std::string text;
  if (!unescape(m_source.substr(begin + 1, end - begin - 1), text)) {
    return fail(begin, "this string has a \\ escape that is malformed or not supported");
  }
  push(TokenKind::kString, begin, std::move(text));
  m_at = end + 1;
}

std::string Lexer::unexpected_bracket(char found) const {
  const std::string text = std::string("'") + found + "' ";
  if (m_open.empty()) return text + "closes nothing that is open here";
  return text + "stands where '" + m_open.back() + "' is missing";
}

void Lexer::read_operator() {
  static constexpr std::array<std::string_view, 26> kOperators = {
      "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
      "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
  for (std::string_view op : kOperators) {
    if (!starts(m_at, op)) continue;
    if (op == "**") return fail(m_at, "** is not supported in chat templates");
    if (op == "(") m_open += ')';
    if (op == "[") m_open += ']';
    if (op == "{") m_open += '}';
    if (op == ")" || op == "]" || op == "}") {
      if (m_open.empty() || m_open.back() != op[0]) {
        return fail(m_at, unexpected_bracket(op[0]));
      }
      m_open.pop_back();
    }
    push(TokenKind::kOperator, m_at, std::string(op));
    m_at += op.size();
    return;
  }
  const CodePoint c = decode(m_source, m_at);
  fail(m_at,
       "the character '" + std::string(m_source.substr(m_at, c.length)) + "' means nothing here");
}

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source, WorkBudget& budget) {
  return Lexer(source, budget).run();
}

}  // namespace quire::jinja
