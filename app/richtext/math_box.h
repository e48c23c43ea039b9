#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace quire {

/// A part of a formula as lines of text; the baseline is the line of the surrounding text.
struct MathBox {
  QStringList lines = {QString()};
  int baseline = 0;

  MathBox() = default;
  explicit MathBox(const QString& line) : lines({line}) {}
  bool isOneLine() const { return lines.size() == 1; }
  /// All lines as one, separated by semicolons.
  QString flat() const { return lines.join(QStringLiteral("; ")); }
  qsizetype width() const;
  qsizetype size() const { return width() * lines.size(); }
};

/// The size of `left` after appendBox(left, right).
qsizetype sizeWith(const MathBox& left, const MathBox& right);
/// Appends `right` to `left` with aligned baselines.
void appendBox(MathBox& left, const MathBox& right);
/// The number of characters of gridBox() without its brackets and gaps.
qsizetype gridSize(const QList<QStringList>& rows);
/// Rows of cells between the brackets of an environment such as bmatrix; in one line if `flat`.
MathBox gridBox(const QList<QStringList>& rows, const QString& environment, bool flat);

}  // namespace quire
