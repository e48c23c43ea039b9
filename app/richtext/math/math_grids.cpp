#include <QHash>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/richtext/math/math_parser.h"

namespace quire {
namespace {

using Kind = MathNode::Kind;

struct Environment {
  GridKind kind = GridKind::Matrix;
  char32_t left = 0;
  char32_t right = 0;
  bool hasColumns = false;  ///< An argument that says how the columns are aligned.
};

/// How an environment is set; unknown ones as a matrix.
Environment environmentOf(QString name) {
  static const QHash<QString, Environment> kEnvironments = {
      {"pmatrix", {GridKind::Matrix, U'(', U')'}},
      {"bmatrix", {GridKind::Matrix, U'[', U']'}},
      {"Bmatrix", {GridKind::Matrix, U'{', U'}'}},
      {"vmatrix", {GridKind::Matrix, U'|', U'|'}},
      {"Vmatrix", {GridKind::Matrix, U'‖', U'‖'}},
      {"smallmatrix", {GridKind::SmallMatrix}},
      {"cases", {GridKind::Cases, U'{', 0}},
      {"dcases", {GridKind::Cases, U'{', 0}},
      {"rcases", {GridKind::Cases, 0, U'}'}},
      {"align", {GridKind::Aligned}},
      {"aligned", {GridKind::Aligned}},
      {"alignat", {.kind = GridKind::Aligned, .hasColumns = true}},
      {"alignedat", {.kind = GridKind::Aligned, .hasColumns = true}},
      {"eqnarray", {GridKind::Aligned}},
      {"split", {GridKind::Aligned}},
      {"equation", {GridKind::Aligned}},
      {"displaymath", {GridKind::Aligned}},
      {"math", {GridKind::Aligned}},
      {"gather", {GridKind::Gathered}},
      {"gathered", {GridKind::Gathered}},
      {"multline", {GridKind::Gathered}},
      {"subarray", {.kind = GridKind::Substack, .hasColumns = true}},
      {"array", {.kind = GridKind::Matrix, .hasColumns = true}},
      {"tabular", {.kind = GridKind::Matrix, .hasColumns = true}}};
  if (name.endsWith(u'*')) name.chop(1);
  return kEnvironments.value(name);
}

/// Only l, c, r and |.
QString alignmentOf(const QString& columns) {
  QString alignment;
  for (const QChar c : columns) {
    if (QStringView(u"lcr|").contains(c)) alignment += c;
  }
  return alignment;
}

}  // namespace

/// The sign after \left, \right or \big; 0 for a full stop, which stands for none.
char32_t MathParser::delimiter() {
  skipSpaces();
  if (atEnd() || peek() == u'}') return 0;
  if (peek() == u'\\') {
    const qsizetype begin = m_at;
    const MathSymbol symbol = symbolOfCommand(commandName());
    if (symbol.character == 0) m_at = begin;
    return symbol.character;
  }
  const QChar c = m_source[m_at++];
  if (c == u'.') return 0;
  if (c == u'<') return U'⟨';
  if (c == u'>') return U'⟩';
  return c.unicode();
}

MathNode MathParser::fenced(const QString&) {
  MathNode result = node(Kind::Fenced);
  result.mathClass = MathClass::Inner;
  result.fences.append(delimiter());
  for (;;) {
    result.children.push_back(row({.atFence = true}));
    const bool isMiddle = isAtCommand(u"middle");
    if (!isMiddle && !isAtCommand(u"right")) break;  // It is not closed.
    commandName();
    result.fences.append(delimiter());
    if (!isMiddle) return result;
  }
  result.fences.append(0);
  return result;
}

MathNode MathParser::substack(const QString&) {
  skipSpaces();
  if (peek() != u'{') return argument();
  ++m_at;
  MathNode result = grid(GridKind::Substack, QStringLiteral("c"), false);
  if (peek() == u'}') ++m_at;
  return result;
}

MathNode MathParser::environment(const QString&) {
  const QString name = rawGroup();
  const Environment environment = environmentOf(name);
  QString alignment;
  if (peek() == u'[') optionalArgument();  // The vertical position is ignored.
  if (environment.hasColumns) alignment = alignmentOf(rawGroup());
  if (environment.kind == GridKind::Aligned) alignment.clear();
  MathNode result = grid(environment.kind, alignment, false);
  if (isAtCommand(u"end")) {
    m_at += 4;
    rawGroup();
  }
  if (environment.left == 0 && environment.right == 0) return result;
  Children inside;
  inside.push_back(std::move(result));
  MathNode fences = node(Kind::Fenced, std::move(inside));
  fences.fences = {environment.left, environment.right};
  fences.mathClass = MathClass::Inner;
  return fences;
}

void MathParser::readRules(MathNode& grid, int row) {
  for (skipSpaces(); isAtCommand(u"hline") || isAtCommand(u"toprule") || isAtCommand(u"midrule") ||
                     isAtCommand(u"bottomrule");
       skipSpaces()) {
    commandName();
    if (!grid.rules.contains(row)) grid.rules.append(row);
  }
}

/// The end of a row, with the distance to the next one: \\[2pt].
void MathParser::readRowEnd(MathNode& grid) {
  m_at += isAt(u"\\\\") ? 2 : 3;
  if (peek() == u'*') ++m_at;
  double gap = 0.0;
  const QStringView rest = m_source.mid(m_at, 16);
  const qsizetype close = rest.indexOf(u']');
  if (close > 1 && rest[0] == u'[' && (rest[1].isDigit() || QStringView(u"-.").contains(rest[1]))) {
    const qsizetype end = m_at + close + 1;
    ++m_at;
    gap = length();
    m_at = end;
  }
  grid.gaps.append(gap);
}

/// The cells of a grid, by rows. What ends a group or an environment that did not begin is left out
/// at the top.
std::vector<MathParser::Children> MathParser::cells(MathNode& grid, bool isTop) {
  std::vector<Children> rows(1);
  bool continues = false;
  for (int numCells = 0; !m_failed; ++numCells) {
    if (numCells > kMaxCells) m_failed = true;
    MathNode cell = row({.atCell = true});
    if (continues) {
      Children& before = rows.back().back().children;
      std::move(cell.children.begin(), cell.children.end(), std::back_inserter(before));
    } else {
      rows.back().push_back(std::move(cell));
    }
    continues = false;
    if (isAt(u"\\\\") || isAtCommand(u"cr")) {
      readRowEnd(grid);
      rows.emplace_back();
      readRules(grid, static_cast<int>(rows.size()) - 1);
    } else if (peek() == u'&') {
      ++m_at;
    } else if (isTop && !atEnd()) {
      if (peek() == u'}') {
        ++m_at;
      } else {
        m_at += 4;
        rawGroup();
      }
      continues = true;
    } else {
      break;
    }
  }
  return rows;
}

/// Reads a grid up to the end of the environment, or of the source for the top, which is only a
/// grid if it has several cells.
MathNode MathParser::grid(GridKind kind, const QString& alignment, bool isTop) {
  MathNode result = node(Kind::Grid);
  result.grid = kind;
  result.text = alignment;
  if (++m_depth > kMaxDepth) m_failed = true;
  readRules(result, 0);
  std::vector<Children> rows = cells(result, isTop);
  --m_depth;
  if (rows.size() > 1 && rows.back().size() == 1 && rows.back()[0].isEmptyRow()) rows.pop_back();
  size_t numColumns = 0;
  for (const Children& row : rows) numColumns = std::max(numColumns, row.size());
  if (rows.size() * numColumns > kMaxCells) m_failed = true;
  if (m_failed) return result;
  if (isTop && rows.size() == 1 && numColumns == 1) return std::move(rows[0][0]);
  if (isTop && numColumns == 1) result.grid = GridKind::Gathered;
  result.numColumns = static_cast<int>(numColumns);
  for (Children& row : rows) {
    while (row.size() < numColumns) row.push_back(node(Kind::Row));
    std::move(row.begin(), row.end(), std::back_inserter(result.children));
  }
  return result;
}

}  // namespace quire
