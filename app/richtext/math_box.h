#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace quire {

/// A piece of a formula as lines of text, one of which the text around it continues.
struct MathBox {
  QStringList lines = {QString()};
  int baseline = 0;

  MathBox() = default;
  explicit MathBox(const QString& line) : lines({line}) {}
  bool isOneLine() const { return lines.size() == 1; }
  /// One line, where it must be: lines are set apart by semicolons.
  QString flat() const { return lines.join(QStringLiteral("; ")); }
  qsizetype width() const;
  qsizetype size() const { return width() * lines.size(); }
};

/// Puts `right` behind `left`, their baselines at one height.
void appendBox(MathBox& left, const MathBox& right);
/// Rows of cells between the brackets of an environment such as bmatrix; in one line if `flat`.
MathBox gridBox(const QList<QStringList>& rows, const QString& environment, bool flat);

}  // namespace quire
