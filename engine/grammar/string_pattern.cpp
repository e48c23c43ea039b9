#include "engine/grammar/string_pattern.h"

#include <algorithm>

#include "engine/tokenizer/utf8.h"

namespace quire {

using grammar::NodeId;

namespace {

constexpr int kMaxGroupDepth = 32;

/// The letter of a character's short escape in JSON; 0 if it has none.
char short_escape(uint32_t character) {
  switch (character) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

/// Whether the pattern's last "$" is an anchor and not escaped.
bool ends_with_anchor(std::string_view pattern) {
  if (!pattern.ends_with('$')) return false;
  pattern.remove_suffix(1);
  size_t backslashes = 0;
  while (backslashes < pattern.size() && pattern[pattern.size() - 1 - backslashes] == '\\') {
    ++backslashes;
  }
  return backslashes % 2 == 0;
}

}  // namespace

std::optional<std::string> StringPattern::write() {
  const bool is_anchored_at_end = ends_with_anchor(m_pattern);
  if (is_anchored_at_end) m_pattern.remove_suffix(1);
  const bool is_anchored = skip('^');
  const NodeId first = m_builder.add_node(m_rule);
  m_builder.add_byte(m_builder.start_of(m_rule), '"', first);
  if (!is_anchored) write_any(first);
  const NodeId last = write_alternatives(first, 0);
  if (!has_failed() && !is_at_end()) fail("it has a bracket too many");
  if (m_has_top_alternatives && (is_anchored || is_anchored_at_end)) {
    fail("\"^\" and \"$\" beside alternatives need brackets around these");
  }
  if (!is_anchored_at_end) write_any(last);
  m_builder.add_byte(last, '"', m_builder.end_of(m_rule));
  return m_builder.is_full() ? std::nullopt : m_wrong;
}

NodeId StringPattern::write_alternatives(NodeId from, int depth) {
  const NodeId to = m_builder.add_node(m_rule);
  do {
    m_builder.add_empty(write_sequence(add_after(from), depth), to);
    if (depth == 0 && is_at('|')) m_has_top_alternatives = true;
  } while (!has_failed() && skip('|'));
  return to;
}

NodeId StringPattern::write_sequence(NodeId from, int depth) {
  while (!has_failed() && !is_at_end() && !is_at('|') && !is_at(')')) {
    from = write_repeated(from, depth);
  }
  return from;
}

/// An atom is read again for each of its repetitions, each from a node of its own, to which it may
/// return.
NodeId StringPattern::write_repeated(NodeId from, int depth) {
  const size_t begin = m_at;
  NodeId before = add_after(from);
  NodeId at = write_atom(before, depth);
  const auto repeats = has_failed() ? std::nullopt : read_repeats();
  if (!repeats) return at;
  const size_t end = m_at;
  if (repeats->max == 0) return add_after(from);
  const NodeId to = m_builder.add_node(m_rule);
  if (repeats->min == 0) m_builder.add_empty(before, to);
  const auto write_again = [&] {
    m_at = begin;
    before = add_after(at);
    at = write_atom(before, depth);
  };
  const int least = std::max(1, repeats->min);
  for (int i = 1; i < least && !has_failed(); ++i) write_again();
  if (repeats->max < 0) m_builder.add_empty(at, before);
  for (int i = least; i < repeats->max && !has_failed(); ++i) {
    m_builder.add_empty(at, to);
    write_again();
  }
  m_builder.add_empty(at, to);
  m_at = end;
  return to;
}

NodeId StringPattern::add_after(NodeId node) {
  const NodeId next = m_builder.add_node(m_rule);
  m_builder.add_empty(node, next);
  return next;
}

NodeId StringPattern::write_atom(NodeId from, int depth) {
  const char c = m_pattern[m_at];
  if (c == '(') return write_group(from, depth);
  if (c == '\\') return write_escaped(from);
  if (c == '[') return write_set(from, read_class());
  if (c == '.') {
    ++m_at;
    return write_set(from, *named_class('.'));
  }
  if (c == '^' || c == '$') {
    fail("\"^\" and \"$\" are supported at its beginning and end alone");
    return from;
  }
  if (c == '*' || c == '+' || c == '?' || c == '{' || c == '}' || c == ']') {
    fail("a quantifier or bracket stands alone");
    return from;
  }
  return write_literal(from);
}

NodeId StringPattern::write_group(NodeId from, int depth) {
  ++m_at;
  if (skip('?') && !skip(':')) {
    fail("it has a group that begins with \"(?\"");
    return from;
  }
  if (depth >= kMaxGroupDepth) {
    fail("its groups are nested too deeply");
    return from;
  }
  const NodeId to = write_alternatives(from, depth + 1);
  if (!skip(')')) fail("a bracket is not closed");
  return to;
}

/// A character of one or more bytes.
NodeId StringPattern::write_literal(NodeId from) {
  const Utf8Unit unit = next_utf8(m_pattern.substr(m_at));
  if (unit.length == 1) {
    Characters set;
    set.ascii.set(static_cast<uint8_t>(m_pattern[m_at++]) % kNumAscii);
    return write_set(from, set);
  }
  NodeId to = from;
  for (size_t i = 0; i < unit.length; ++i) {
    const NodeId next = m_builder.add_node(m_rule);
    m_builder.add_byte(to, m_pattern[m_at++], next);
    to = next;
  }
  return to;
}

NodeId StringPattern::write_escaped(NodeId from) {
  ++m_at;
  const auto named = is_at_end() || is_at('.') ? std::nullopt : named_class(m_pattern[m_at]);
  if (named) {
    ++m_at;
    return write_set(from, *named);
  }
  const auto character = read_escape();
  if (!character) return from;
  if (*character >= kNumAscii) {
    fail("it has an escape of a character beyond ASCII");
    return from;
  }
  Characters set;
  set.ascii.set(*character);
  return write_set(from, set);
}

NodeId StringPattern::write_set(NodeId from, const Characters& set) {
  const NodeId to = m_builder.add_node(m_rule);
  std::optional<NodeId> backslash;
  for (uint32_t c = 0; c < kNumAscii; ++c) {
    if (!set.ascii[c]) continue;
    const char letter = short_escape(c);
    if (letter == 0 && c >= 0x20) {
      uint32_t last = c;
      while (last + 1 < kNumAscii && set.ascii[last + 1] && short_escape(last + 1) == 0) ++last;
      m_builder.add_bytes(from, static_cast<uint8_t>(c), static_cast<uint8_t>(last), to);
      c = last;
      continue;
    }
    if (!backslash) {
      backslash = m_builder.add_node(m_rule);
      m_builder.add_byte(from, '\\', *backslash);
    }
    if (letter != 0) {
      m_builder.add_byte(*backslash, letter, to);
      continue;
    }
    const NodeId zeros = m_builder.add_text(*backslash, c < 0x10 ? "u000" : "u001");
    m_builder.add_byte(zeros, "0123456789abcdef"[c % 16], to);
  }
  if (set.others) write_others(from, to);
  return to;
}

/// The characters beyond ASCII (RFC 3629, section 4).
void StringPattern::write_others(NodeId from, NodeId to) {
  const NodeId last = m_builder.add_node(m_rule);
  const NodeId last_two = m_builder.add_node(m_rule);
  const NodeId last_three = m_builder.add_node(m_rule);
  m_builder.add_bytes(last, 0x80, 0xbf, to);
  m_builder.add_bytes(last_two, 0x80, 0xbf, last);
  m_builder.add_bytes(last_three, 0x80, 0xbf, last_two);
  m_builder.add_bytes(from, 0xc2, 0xdf, last);
  m_builder.add_bytes(from, 0xe1, 0xec, last_two);
  m_builder.add_bytes(from, 0xee, 0xef, last_two);
  m_builder.add_bytes(from, 0xf1, 0xf3, last_three);
  const auto add_second = [&](uint8_t first, uint8_t low, uint8_t high, NodeId rest) {
    const NodeId second = m_builder.add_node(m_rule);
    m_builder.add_bytes(from, first, first, second);
    m_builder.add_bytes(second, low, high, rest);
  };
  add_second(0xe0, 0xa0, 0xbf, last);
  add_second(0xed, 0x80, 0x9f, last);
  add_second(0xf0, 0x90, 0xbf, last_two);
  add_second(0xf4, 0x80, 0x8f, last_two);
}

/// Any characters, at a node.
void StringPattern::write_any(NodeId node) {
  m_builder.add_empty(write_set(node, *named_class('.')), node);
}

bool StringPattern::skip(char c) {
  if (!is_at(c)) return false;
  ++m_at;
  return true;
}

void StringPattern::fail(const char* wrong) {
  if (!m_wrong) m_wrong = wrong;
}

}  // namespace quire
