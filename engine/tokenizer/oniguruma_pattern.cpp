#include "engine/tokenizer/oniguruma_pattern.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/io/text.h"
#include "engine/tokenizer/oniguruma_classes.h"
#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

constexpr int kMaxDepth = 32;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Translator {
 public:
  explicit Translator(std::string_view pattern) : m_in(pattern) {}

  Result<std::string> run() {
    while (m_error.empty() && m_pos < m_in.size()) step();
    if (m_error.empty() && !m_groups.empty()) m_error = "a group that is not closed";
    if (!m_error.empty()) {
      return Error{ErrorCode::kUnsupported, m_error + " at byte " + std::to_string(m_pos)};
    }
    return std::move(m_out);
  }

 private:
  char peek(size_t ahead = 0) const {
    return m_pos + ahead < m_in.size() ? m_in[m_pos + ahead] : '\0';
  }
  bool take(std::string_view text) {
    if (!m_in.substr(m_pos).starts_with(text)) return false;
    m_pos += text.size();
    return true;
  }
  void fail(std::string what) {
    if (m_error.empty()) m_error = std::move(what);
  }
  std::string take_character() {
    const size_t length = next_utf8(m_in.substr(m_pos)).length;
    m_pos += length;
    return std::string(m_in.substr(m_pos - length, length));
  }
  void emit_atom(std::string_view atom) {
    m_atom = m_out.size();
    m_out += atom;
  }

  void step() {
    const char c = peek();
    if (c == '\\') return emit_atom(escape());
    if (c == '[') {
      ++m_pos;
      return emit_atom(char_class(0));
    }
    if (c == '(') return open_group();
    if (c == ')') return close_group();
    if (c == '{') return interval();
    if (c == '*' || c == '+' || c == '?' || c == '|') {
      m_out += c;
      ++m_pos;
      return;
    }
    emit_atom(c == '}' || c == ']' ? "\\" + take_character() : take_character());
  }

  void open_group() {
    static constexpr std::array<std::string_view, 7> kOpenings = {
        "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:"};
    m_groups.push_back(m_out.size());
    for (const std::string_view opening : kOpenings) {
      if (!take(opening)) continue;
      m_out += opening;
      return;
    }
    if (take("(?m:")) {
      m_out += "(?s:";
    } else if (m_pos == 0 && take("(?i)")) {
      m_groups.pop_back();
      m_out += "(?i)";
    } else if (peek(1) == '?' || peek(1) == '*') {
      fail("the group \"" + for_message(m_in.substr(m_pos, 4)) + "\" is not supported");
    } else {
      ++m_pos;
      m_out += "(?:";
    }
  }

  void close_group() {
    if (m_groups.empty()) return fail("a closing bracket without its opening one");
    m_atom = m_groups.back();
    m_groups.pop_back();
    m_out += ')';
    ++m_pos;
  }

  void interval() {
    size_t end = m_pos + 1;
    while (end < m_in.size() && (is_digit(m_in[end]) || m_in[end] == ',')) ++end;
    const std::string_view bounds = m_in.substr(m_pos + 1, end - m_pos - 1);
    const bool is_one =
        end < m_in.size() && m_in[end] == '}' && bounds.size() > (bounds.starts_with(',') ? 1 : 0);
    if (!is_one) {
      ++m_pos;
      return emit_atom("\\{");
    }
    m_pos = end + 1;
    m_out += "{" + std::string(bounds.starts_with(',') ? "0" : "") + std::string(bounds) + "}";
    const bool is_exact = bounds.find(',') == bounds.npos;
    if (peek() == '+' || (peek() == '?' && is_exact)) {
      m_out.insert(m_atom, "(?:");
      m_out += ')';
    }
  }

  /// An escape outside of classes, as an expression.
  std::string escape() {
    const char c = peek(1);
    if (c == 'b' || c == 'B') {
      m_pos += 2;
      const std::string any = "[" + oniguruma_word() + "]";
      const std::string at_edge =
          "(?:(?<=" + any + ")(?!" + any + ")|(?<!" + any + ")(?=" + any + "))";
      return c == 'b' ? at_edge : "(?!" + at_edge + ")";
    }
    if (c == 'A' || c == 'z' || c == 'Z') {
      m_pos += 2;
      return {'\\', c};
    }
    CharSet set;
    add_escape(set);
    return expression_of(set, false);
  }

  /// An escape for one character or a set of them.
  void add_escape(CharSet& set) {
    ++m_pos;
    const char c = peek();
    if (c == 'p' || c == 'P') return add_property(set);
    if (c == 'x' || c == 'u') return add_code_point(set);
    if (!is_letter(c) && !is_digit(c)) {
      if (m_pos >= m_in.size()) return fail("a backslash at the end");
      const std::string character = take_character();
      set.content += character.size() == 1 ? "\\" + character : character;
      return;
    }
    ++m_pos;
    if (!add_class_escape(c, set))
      fail("the escape \\" + for_message({&c, 1}) + " is not supported");
  }

  void add_code_point(CharSet& set) {
    const bool has_braces = peek(1) == '{';
    const size_t max_digits = has_braces ? 6 : (peek() == 'u' ? 4 : 2);
    m_pos += has_braces ? 2 : 1;
    unsigned value = 0;
    size_t digits = 0;
    for (; digits < max_digits && std::isxdigit(static_cast<uint8_t>(peek())) != 0; ++digits) {
      value = value * 16 + static_cast<unsigned>(std::stoi(std::string(1, peek()), nullptr, 16));
      ++m_pos;
    }
    const bool is_byte = !has_braces && max_digits == 2 && value >= 0x80;
    if (digits == 0 || is_byte || value > 0x10FFFF || (has_braces && !take("}"))) {
      return fail("an impossible code point");
    }
    set.content += escaped_code(value);
  }

  void add_property(CharSet& set) {
    bool is_negated = peek() == 'P';
    const size_t end = m_in.find('}', m_pos);
    if (peek(1) != '{' || end == m_in.npos) return fail("\\p without a name in braces");
    std::string_view name = m_in.substr(m_pos + 2, end - m_pos - 2);
    m_pos = end + 1;
    if (name.starts_with('^')) {
      is_negated = !is_negated;
      name.remove_prefix(1);
    }
    for (const std::string_view prefix : {"Script=", "script=", "sc="}) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    const bool is_word =
        std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || c == '_'; });
    if (name.empty() || !is_word) return fail("\\p{" + for_message(name) + "} is not supported");
    const std::string* const known = oniguruma_property(name);
    const std::string content = known != nullptr ? *known : oniguruma_category(name);
    if (is_negated) {
      set.others.push_back("[^" + content + "]");
    } else {
      set.content += content;
    }
  }

  /// After "[": up to and including its "]", as an expression for one character.
  std::string char_class(int depth) {
    CharSet whole;
    const bool is_negated = read_class(whole, depth);
    return expression_of(whole, is_negated);
  }

  bool read_class(CharSet& set, int depth) {
    if (depth > kMaxDepth) fail("classes nested too deeply");
    const bool is_negated = take("^");
    std::vector<std::string> intersected;
    bool is_first = true;
    while (m_error.empty() && (is_first || peek() != ']')) {
      if (m_pos >= m_in.size()) {
        fail("a class that is not closed");
      } else if (take("&&")) {
        intersected.push_back(expression_of(set, false));
        set = {};
      } else {
        read_item(set, depth, is_first);
      }
      is_first = false;
    }
    ++m_pos;
    if (intersected.empty()) return is_negated;
    std::string all = "(?:";
    for (const std::string& one : intersected) all += "(?=" + one + ")";
    const std::string last = expression_of(set, false);
    set = {};
    set.others.push_back(all + last + ")");
    return is_negated;
  }

  void read_item(CharSet& set, int depth, bool is_first) {
    if (peek() == '\\') return add_escape(set);
    if (take("[:")) return add_posix(set);
    if (take("[")) {
      CharSet nested;
      const bool is_negated = read_class(nested, depth + 1);
      if (is_negated || !nested.others.empty()) {
        set.others.push_back(expression_of(nested, is_negated));
      } else {
        set.content += nested.content;
      }
      return;
    }
    const bool is_bracket = is_first && peek() == ']';
    set.content += is_bracket ? "\\" + take_character() : take_character();
  }

  void add_posix(CharSet& set) {
    const bool is_negated = take("^");
    const size_t end = m_in.find(":]", m_pos);
    const std::string_view name = m_in.substr(m_pos, std::min(end, m_in.size()) - m_pos);
    const std::string* const known = oniguruma_posix_class(name);
    if (end == m_in.npos || known == nullptr) return fail("an unknown [:class:]");
    m_pos = end + 2;
    if (is_negated) {
      set.others.push_back("[^" + *known + "]");
    } else {
      set.content += *known;
    }
  }

  std::string_view m_in;
  size_t m_pos = 0;
  std::string m_out;
  size_t m_atom = 0;             ///< Where the last atom begins in m_out.
  std::vector<size_t> m_groups;  ///< Where open groups begin in m_out.
  std::string m_error;
};

}  // namespace

Result<std::string> translate_oniguruma(std::string_view pattern) {
  if (!is_valid_utf8(pattern)) return Error{ErrorCode::kUnsupported, "it is not UTF-8"};
  return Translator(pattern).run();
}

}  // namespace quire
