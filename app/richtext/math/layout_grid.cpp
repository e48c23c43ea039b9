#include <algorithm>
#include <utility>

#include "app/richtext/math/math_layout.h"

namespace quire {
namespace {

MathGridLook lookOf(GridKind kind) {
  switch (kind) {
    case GridKind::SmallMatrix:
      return {0.45, 0.0, 0.6, 0.2};
    case GridKind::Aligned:
    case GridKind::Gathered:
      return {2.0, 0.3, 0.84, 0.36};
    case GridKind::Substack:
      return {0.5, 0.05, 0.62, 0.22};
    case GridKind::Cases:
    case GridKind::Matrix:
      break;
  }
  return {};
}

/// The alignment of a column: l, c or r.
QChar alignmentOf(const MathNode& grid, const QString& columns, qsizetype column) {
  if (grid.grid == GridKind::Aligned) return column % 2 == 0 ? u'r' : u'l';
  if (grid.grid == GridKind::Cases) return u'l';
  return column < columns.size() ? columns[column] : QChar(u'c');
}

struct Extents {
  std::vector<double> widths;
  std::vector<double> ascents;
  std::vector<double> descents;
};

Extents extentsOf(const std::vector<MathBox>& cells, size_t numColumns, const MathGridLook& look) {
  const size_t numRows = cells.size() / numColumns;
  Extents extents{std::vector<double>(numColumns, 0.0), std::vector<double>(numRows, look.ascent),
                  std::vector<double>(numRows, look.descent)};
  for (size_t i = 0; i < cells.size(); ++i) {
    double& width = extents.widths[i % numColumns];
    width = std::max(width, cells[i].width);
    double& ascent = extents.ascents[i / numColumns];
    ascent = std::max(ascent, cells[i].ascent);
    double& descent = extents.descents[i / numColumns];
    descent = std::max(descent, cells[i].descent);
  }
  return extents;
}

/// Where the columns begin, and behind the last one its end.
std::vector<double> columnsAt(const MathNode& grid, const std::vector<double>& widths, double gap) {
  std::vector<double> at = {0.0};
  for (size_t column = 0; column < widths.size(); ++column) {
    const bool isLast = column + 1 == widths.size();
    const bool isJoined = grid.grid == GridKind::Aligned && column % 2 == 0;
    at.push_back(at.back() + widths[column] + (isLast || isJoined ? 0.0 : gap));
  }
  return at;
}

/// The style of a grid's cells.
MathLevel cellLevel(GridKind kind, MathLevel around) {
  const bool isScript = around == MathLevel::Script || around == MathLevel::ScriptScript;
  switch (kind) {
    case GridKind::Aligned:
    case GridKind::Gathered:
      return MathLevel::Display;
    case GridKind::SmallMatrix:
    case GridKind::Substack:
      return isScript ? around : MathLevel::Script;
    case GridKind::Matrix:
    case GridKind::Cases:
      break;
  }
  return isScript ? around : MathLevel::Text;
}

/// A relation at the beginning of such a column follows what is in the column before.
double spaceBefore(const MathNode& cell) {
  if (cell.children.empty()) return 0.0;
  const MathClass first = cell.children[0].mathClass;
  return first == MathClass::Rel ? 5.0 / 18 : first == MathClass::Bin ? 4.0 / 18 : 0.0;
}

/// The columns left of which the alignment has a rule; the number of columns stands for the right
/// edge. Of rules that follow each other two remain: all of them are at one place.
QList<qsizetype> verticalRules(const QString& alignment) {
  QList<qsizetype> rules;
  qsizetype column = 0;
  for (const QChar c : alignment) {
    if (c == u'|') {
      const bool areTwo = rules.size() > 1 && rules[rules.size() - 2] == column;
      if (!areTwo) rules.append(column);
    } else {
      ++column;
    }
  }
  return rules;
}

}  // namespace

MathBox MathLayout::grid(const MathNode& node, Style style) {
  const auto numColumns = static_cast<size_t>(std::max(1, node.numColumns));
  const size_t numCells = node.children.size() / numColumns * numColumns;
  const Style cellStyle = {cellLevel(node.grid, style.level), style.isCramped};
  MathGridLook look = lookOf(node.grid);
  for (double* length : {&look.columnGap, &look.rowGap, &look.ascent, &look.descent})
    *length *= scale(node.grid == GridKind::Substack ? cellStyle : style);
  std::vector<MathBox> cells;
  for (size_t i = 0; i < numCells && !m_budget.is_spent(); ++i) {
    MathBox cell;
    const bool isSecond = node.grid == GridKind::Aligned && i % numColumns % 2 == 1;
    if (isSecond) cell.width = spaceBefore(node.children[i]) * scale(style);
    cell.append(box(node.children[i], cellStyle));
    cells.push_back(std::move(cell));
  }
  if (cells.empty() || m_budget.is_spent()) return {};
  MathBox result = gridOf(node, std::move(cells), numColumns, look);
  const double dy = (result.ascent - result.descent) / 2 - axis(style);
  MathBox centred;
  centred.width = result.width;
  centred.ascent = result.ascent - dy;
  centred.descent = result.descent + dy;
  centred.draw(std::move(result), 0, dy);
  return centred;
}

/// The cells in their places, with the top at the baseline.
MathBox MathLayout::gridOf(const MathNode& node, std::vector<MathBox> cells, size_t numColumns,
                           const MathGridLook& look) {
  const Extents extents = extentsOf(cells, numColumns, look);
  const std::vector<double> columns = columnsAt(node, extents.widths, look.columnGap);
  const QString alignment = QString(node.text).remove(u'|');
  MathBox result;
  result.width = columns.back();
  double y = 0.0;
  std::vector<double> tops;
  for (size_t row = 0; row < extents.ascents.size(); ++row) {
    tops.push_back(y);
    const double baseline = y + extents.ascents[row];
    for (size_t column = 0; column < numColumns; ++column) {
      MathBox& cell = cells[row * numColumns + column];
      const QChar side = alignmentOf(node, alignment, static_cast<qsizetype>(column));
      const double free = extents.widths[column] - cell.width;
      const double x = side == u'l' ? 0.0 : side == u'r' ? free : free / 2;
      result.draw(std::move(cell), columns[column] + x, baseline);
    }
    const bool isLast = row + 1 == extents.ascents.size();
    y = baseline + extents.descents[row];
    if (!isLast) y += look.rowGap + node.gaps.value(static_cast<qsizetype>(row));
  }
  tops.push_back(y);
  result.descent = y;
  const double rule = m_font.constant(MathConstant::FractionRuleThickness);
  for (const int row : node.rules) {
    if (row >= 0 && static_cast<size_t>(row) < tops.size())
      result.rules.emplace_back(0.0, tops[static_cast<size_t>(row)] - rule / 2, result.width, rule);
  }
  for (const qsizetype column : verticalRules(node.text)) {
    if (static_cast<size_t>(column) >= columns.size()) continue;
    const bool isInside = column > 0 && static_cast<size_t>(column) + 1 < columns.size();
    const double x = columns[static_cast<size_t>(column)] - (isInside ? look.columnGap / 2 : 0.0);
    result.rules.emplace_back(x - rule / 2, 0.0, rule, y);
  }
  return result;
}

}  // namespace quire
