#include "app/richtext/math_box.h"

#include <algorithm>

namespace quire {
namespace {

/// Each has the top, middle and bottom of a tall bracket, and the bracket of a single line.
struct Brackets {
  QString left;
  QString right;
};

Brackets bracketsOf(const QString& environment) {
  if (environment.startsWith(u"bmatrix")) return {"⎡⎢⎣[", "⎤⎥⎦]"};
  if (environment.startsWith(u"pmatrix")) return {"⎛⎜⎝(", "⎞⎟⎠)"};
  if (environment.startsWith(u"Bmatrix")) return {"⎧⎨⎩{", "⎫⎬⎭}"};
  if (environment.startsWith(u"vmatrix")) return {"││││", "││││"};
  if (environment.startsWith(u"Vmatrix")) return {"‖‖‖‖", "‖‖‖‖"};
  if (environment.startsWith(u"cases")) return {"⎧⎨⎩{", {}};
  return {};
}

QString bracketAt(const QString& bracket, qsizetype row, qsizetype count) {
  if (bracket.isEmpty()) return {};
  if (count == 1) return bracket.mid(3, 1);
  return bracket.mid(row == 0 ? 0 : row + 1 == count ? 2 : 1, 1);
}

bool isAligned(const QString& environment) {
  return environment.startsWith(u"align") || environment.startsWith(u"eqnarray") ||
         environment.startsWith(u"split");
}

qsizetype columnsOf(const QList<QStringList>& rows) {
  qsizetype columns = 0;
  for (const QStringList& row : rows) columns = std::max(columns, row.size());
  return columns;
}

qsizetype widthOf(const QList<QStringList>& rows, qsizetype column) {
  qsizetype width = 0;
  for (const QStringList& row : rows) width = std::max(width, row.value(column).size());
  return width;
}

}  // namespace

qsizetype MathBox::width() const {
  qsizetype width = 0;
  for (const QString& line : lines) width = std::max(width, line.size());
  return width;
}

qsizetype sizeWith(const MathBox& left, const MathBox& right) {
  const qsizetype above = std::max(left.baseline, right.baseline);
  const qsizetype below =
      std::max(left.lines.size() - left.baseline, right.lines.size() - right.baseline);
  return (above + below) * (left.width() + right.width());
}

void appendBox(MathBox& left, const MathBox& right) {
  if (left.isOneLine() && right.isOneLine()) {
    left.lines[0] += right.lines[0];
    return;
  }
  const qsizetype width = left.width();
  for (QString& line : left.lines) line = line.leftJustified(width);
  while (left.baseline < right.baseline) {
    left.lines.prepend(QString(width, u' '));
    ++left.baseline;
  }
  const int shift = left.baseline - right.baseline;
  while (left.lines.size() < shift + right.lines.size()) left.lines.append(QString(width, u' '));
  for (qsizetype i = 0; i < right.lines.size(); ++i) left.lines[shift + i] += right.lines[i];
}

qsizetype gridSize(const QList<QStringList>& rows) {
  qsizetype width = 0;
  for (qsizetype column = 0; column < columnsOf(rows); ++column) width += widthOf(rows, column) + 2;
  return width * rows.size();
}

MathBox gridBox(const QList<QStringList>& rows, const QString& environment, bool flat) {
  const Brackets brackets = bracketsOf(environment);
  MathBox box;
  box.lines.clear();
  const bool aligned = isAligned(environment);
  const QString gap = aligned ? QString() : QStringLiteral("  ");
  const qsizetype columns = columnsOf(rows);
  QList<qsizetype> widths;
  for (qsizetype column = 0; column < columns; ++column) widths.append(widthOf(rows, column));
  for (qsizetype row = 0; row < rows.size(); ++row) {
    QStringList cells = rows[row];
    for (qsizetype column = 0; column < columns && !flat; ++column) {
      if (column == cells.size()) cells.append(QString());
      const bool right = aligned && column % 2 == 0;
      cells[column] = right ? cells[column].rightJustified(widths[column])
                            : cells[column].leftJustified(widths[column]);
    }
    if (flat) {
      box.lines.append(cells.join(aligned ? QString() : QStringLiteral(" ")));
    } else {
      box.lines.append(bracketAt(brackets.left, row, rows.size()) + cells.join(gap) +
                       bracketAt(brackets.right, row, rows.size()));
    }
  }
  if (box.lines.isEmpty()) box.lines.append(QString());
  if (flat) return MathBox(brackets.left.mid(3, 1) + box.flat() + brackets.right.mid(3, 1));
  box.baseline = static_cast<int>(box.lines.size() - 1) / 2;
  return box;
}

}  // namespace quire
