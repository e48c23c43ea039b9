#include "engine/template/lexer.h"
#include "engine/template/errors.h"

#include <array>
#include <optional>

#include "engine/template/lexer_scan.h"
#include "engine/template/unicode.h"

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

/// Where a tag starts in template data.
struct Tag {
  size_t begin = 0;
  char kind = 0;  ///< '{' for {{, '%' for {%, '#' for {#, 'r' for a whole {% raw %}.
  char sign = 0;  ///< '-', '+' or 0.
  size_t end = 0;
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : m_source(source) {}

  Result<std::vector<Token>> run() {
    while (!m_error && m_at < m_source.size()) read_data();
    if (m_error) return *m_error;
    push(TokenKind::kEnd, m_source.size(), "");
    return std::move(m_tokens);
  }

 private:
  void push(TokenKind kind, size_t offset, std::string text) {
    m_tokens.push_back({kind, static_cast<uint32_t>(offset), std::move(text)});
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
  std::optional<size_t> match_raw_begin(size_t offset) const;
  std::optional<Tag> find_raw_end(size_t from) const;
  size_t after_block_end(size_t close, char sign) const;
  void push_data(std::string_view text, size_t offset, char sign, bool may_strip_line);
  void read_data();
  void read_comment(const Tag& tag);
  void read_raw(const Tag& tag);
  void read_expression_tokens(const Tag& tag);
  bool read_tag_end(bool is_variable);
  void read_token();
  void read_string();
  void read_operator();
  std::string unexpected_bracket(char found) const;

  std::string_view m_source;
  size_t m_at = 0;
  bool m_line_starts = true;  ///< Whether what was read last ended a line.
  std::string m_open;         ///< Closing brackets that are still to come.
  std::vector<Token> m_tokens;
  std::optional<Error> m_error;
};

std::optional<size_t> Lexer::match_raw_begin(size_t offset) const {
  size_t i = offset + 2;
  if (at(i) == '-' || at(i) == '+') ++i;
  i = skip_space(m_source, i);
  if (!starts(i, "raw")) return {};
  i = skip_space(m_source, i + 3);
  if (starts(i, "-%}")) return skip_space(m_source, i + 3);
  if (starts(i, "%}")) return i + 2;
  return {};
}

std::optional<Tag> Lexer::find_tag(size_t from) const {
  for (size_t i = m_source.find('{', from); i != m_source.npos; i = m_source.find('{', i + 1)) {
    const char kind = at(i + 1);
    if (kind != '{' && kind != '%' && kind != '#') continue;
    const char sign = at(i + 2) == '-' || at(i + 2) == '+' ? at(i + 2) : '\0';
    if (kind == '%') {
      if (auto end = match_raw_begin(i)) return Tag{i, 'r', sign, *end};
    }
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
  if (tag->kind == 'r') return read_raw(*tag);
  read_expression_tokens(*tag);
}

/// Where the text goes on after a closing "%}" or "#}" at `close`, which `sign` precedes.
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

std::optional<Tag> Lexer::find_raw_end(size_t from) const {
  for (size_t i = m_source.find("{%", from); i != m_source.npos; i = m_source.find("{%", i + 1)) {
    size_t j = i + 2;
    const char sign = at(j) == '-' || at(j) == '+' ? at(j) : '\0';
    j = skip_space(m_source, j + (sign ? 1 : 0));
    if (!starts(j, "endraw")) continue;
    j = skip_space(m_source, j + 6);
    const char end_sign = at(j) == '-' || at(j) == '+' ? at(j) : '\0';
    j += end_sign ? 1 : 0;
    if (starts(j, "%}")) return Tag{i, 'r', sign, after_block_end(j, end_sign)};
  }
  return {};
}

void Lexer::read_raw(const Tag& tag) {
  advance_to(tag.end);
  const std::optional<Tag> end = find_raw_end(m_at);
  if (!end) return fail(tag.begin, "this raw block is not closed with endraw");
  push_data(m_source.substr(m_at, end->begin - m_at), m_at, end->sign, true);
  advance_to(end->end);
}

void Lexer::read_expression_tokens(const Tag& tag) {
  const bool is_variable = tag.kind == '{';
  push(is_variable ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, tag.begin, "");
  m_at = tag.end;
  m_open.clear();
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
    return fail(begin, "this string has a malformed \\ escape");
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

Result<std::vector<Token>> tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace quire::jinja
