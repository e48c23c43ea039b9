#include "app/richtext/math/math_parser.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

bool isAsciiLetter(QChar c) {
  return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z');
}

/// Characters that formulas have no letters for, such as those of Hangul: they are text.
bool isForeignText(char32_t c) {
  const bool isGreek = c >= 0x370 && c < 0x400;
  return c > 0x2FF && !isGreek && QChar::isLetter(c) &&
         symbolOfCharacter(c).mathClass == MathClass::Ord && !(c >= 0x2100 && c < 0x2150) &&
         !(c >= 0x1D400 && c < 0x1D800);
}

}  // namespace

std::optional<MathNode> MathParser::parse() {
  if (m_source.size() > kMaxSource) return std::nullopt;
  MathNode node = grid(GridKind::Aligned, {}, true);
  if (m_failed) return std::nullopt;
  return node;
}

MathNode MathParser::node(MathNode::Kind kind, Children children) {
  if (++m_numNodes > kMaxNodes) m_failed = true;
  MathNode node;
  node.kind = kind;
  node.children = std::move(children);
  return node;
}

bool MathParser::isAtCommand(QStringView name) const {
  if (!isAt(u"\\") || !m_source.mid(m_at + 1).startsWith(name)) return false;
  const qsizetype after = m_at + 1 + name.size();
  return after >= m_source.size() || !isAsciiLetter(m_source[after]);
}

bool MathParser::endsRow(const Ends& ends) const {
  if (peek() == u'}' || isAtCommand(u"end")) return true;
  if (ends.atCell && (peek() == u'&' || isAt(u"\\\\") || isAtCommand(u"cr"))) return true;
  if (ends.atFence && (isAtCommand(u"right") || isAtCommand(u"middle"))) return true;
  return ends.atBracket && peek() == u']';
}

void MathParser::skipSpaces() {
  while (!atEnd() && m_source[m_at].isSpace()) ++m_at;
}

/// Reads the name of a command, after its backslash: letters, or one other character.
QString MathParser::commandName() {
  ++m_at;
  qsizetype end = m_at;
  while (end < m_source.size() && isAsciiLetter(m_source[end])) ++end;
  if (end == m_at && end < m_source.size()) end += m_source[end].isHighSurrogate() ? 2 : 1;
  end = std::min(end, m_source.size());
  const QString name = m_source.mid(m_at, end - m_at).toString();
  m_at = end;
  return name;
}

/// The source of a group, for words, names and lengths.
QString MathParser::rawGroup() {
  skipSpaces();
  if (atEnd()) return {};
  if (peek() != u'{') {
    if (peek() != u'\\') return QString(m_source[m_at++]);
    const qsizetype begin = m_at;
    commandName();
    return m_source.mid(begin, m_at - begin).toString();
  }
  qsizetype end = ++m_at;
  for (int open = 1; end < m_source.size(); ++end) {
    if (m_source[end] == u'\\') {
      ++end;
    } else if (m_source[end] == u'{') {
      ++open;
    } else if (m_source[end] == u'}' && --open == 0) {
      break;
    }
  }
  end = std::min(end, m_source.size());
  const QString text = m_source.mid(m_at, end - m_at).toString();
  m_at = std::min(end + 1, m_source.size());
  return text;
}

MathNode MathParser::row(const Ends& ends) {
  MathNode result = node(MathNode::Kind::Row);
  if (++m_depth > kMaxDepth) m_failed = true;
  const MathAlphabet alphabet = m_alphabet;
  for (skipSpaces(); !atEnd() && !endsRow(ends); skipSpaces()) appendAtom(result.children, ends);
  m_alphabet = alphabet;
  --m_depth;
  return result;
}

void MathParser::appendAtom(Children& nodes, const Ends& ends) {
  if (peek() == u'\\') {
    const qsizetype begin = m_at;
    const QString name = commandName();
    if (modifiesLast(name, nodes)) return;
    if (std::optional<MathNode> whole = infix(name, nodes, ends)) {
      nodes.clear();
      nodes.push_back(std::move(*whole));
      return;
    }
    m_at = begin;
  }
  MathNode next = withScripts(atom(ends));
  const bool isMoreText = next.kind == MathNode::Kind::Text && !nodes.empty() &&
                          nodes.back().kind == MathNode::Kind::Text &&
                          nodes.back().mathClass == MathClass::Ord &&
                          next.mathClass == MathClass::Ord && nodes.back().isBold == next.isBold;
  if (isMoreText) {
    nodes.back().text += next.text;
  } else if (!next.isEmptyRow()) {
    nodes.push_back(std::move(next));
  }
}

MathNode MathParser::atom(const Ends& ends) {
  const QChar c = peek();
  if (c == u'\\') return command(ends);
  if (c == u'{') return group();
  // A script without a base gets an empty one.
  if (c == u'^' || c == u'_' || c == u'\'') return node(MathNode::Kind::Row);
  if (c == u'&') {  // Outside of a grid a column separator shows nothing.
    ++m_at;
    return node(MathNode::Kind::Row);
  }
  return character();
}

MathNode MathParser::group() {
  ++m_at;
  MathNode inside = row({});
  // An \end in a group belongs to no environment of the group. It is shown as text.
  while (isAtCommand(u"end")) {
    m_at += 4;
    MathNode word = node(MathNode::Kind::Text);
    word.text = QStringLiteral("\\end{%1}").arg(rawGroup());
    inside.children.push_back(std::move(word));
  }
  if (peek() == u'}') ++m_at;
  return inside;
}

/// The argument of a command or script: a group, a command or one character.
MathNode MathParser::argument() {
  skipSpaces();
  if (atEnd() || peek() == u'}' || peek() == u'&') return node(MathNode::Kind::Row);
  if (++m_depth > kMaxDepth) m_failed = true;
  MathNode result = m_failed ? node(MathNode::Kind::Row) : atom({});
  --m_depth;
  return result;
}

MathNode MathParser::optionalArgument() {
  skipSpaces();
  if (peek() != u'[') return node(MathNode::Kind::Row);
  ++m_at;
  MathNode inside = row({.atBracket = true});
  if (peek() == u']') ++m_at;
  return inside;
}

MathNode MathParser::letter(char32_t character) {
  MathNode result = node(MathNode::Kind::Symbol);
  const MathSymbol symbol = symbolOfCharacter(character);
  result.symbol = letterIn(m_alphabet, symbol.character);
  result.mathClass = symbol.mathClass;
  result.isLarge = symbol.isLarge;
  result.hasLimits = symbol.hasLimits;
  return result;
}

MathNode MathParser::character() {
  char32_t c = m_source[m_at].unicode();
  const bool isPair = m_at + 1 < m_source.size() && m_source[m_at].isHighSurrogate() &&
                      m_source[m_at + 1].isLowSurrogate();
  if (isPair) c = QChar::surrogateToUcs4(m_source[m_at], m_source[m_at + 1]);
  m_at += isPair ? 2 : 1;
  if (c == U'~') {
    MathNode space = node(MathNode::Kind::Space);
    space.amount = 1.0 / 3;
    return space;
  }
  if (!isForeignText(c)) return letter(c);
  MathNode text = node(MathNode::Kind::Text);
  text.text = QString::fromUcs4(&c, 1);
  return text;
}

MathNode MathParser::withScripts(MathNode base) {
  skipSpaces();
  const auto hasScript = [this] {
    return peek() == u'^' || peek() == u'_' || peek() == u'\'' || peek() == u'’';
  };
  if (!hasScript()) return base;
  const MathClass mathClass = base.mathClass;
  const bool hasLimits = base.hasLimits;
  MathNode scripts = node(MathNode::Kind::Scripts);
  scripts.mathClass = mathClass;
  scripts.hasLimits = hasLimits;
  scripts.children.push_back(std::move(base));
  scripts.children.push_back(node(MathNode::Kind::Row));
  scripts.children.push_back(node(MathNode::Kind::Row));
  while (hasScript() && !m_failed) {
    appendScript(scripts);
    skipSpaces();
  }
  return scripts;
}

/// Reads one subscript, superscript or prime.
void MathParser::appendScript(MathNode& scripts) {
  const QChar mark = m_source[m_at++];
  Children& target = scripts.children[mark == u'_' ? 1 : 2].children;
  if (mark == u'^' || mark == u'_') {
    MathNode script = argument();
    if (!script.isEmptyRow()) target.push_back(std::move(script));
    return;
  }
  target.push_back(letter(U'′'));
}

}  // namespace quire
