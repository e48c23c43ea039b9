#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

/// Formulas taken out of Markdown before md4c reads it, so that their underscores, stars and bars
/// mean nothing to it: $…$, $$…$$, \(…\), \[…\] and \begin{…} outside of code. Prices such as $5
/// stay.
class MathSpans {
 public:
  /// Each formula in `source` becomes a placeholder of two characters.
  QString takeFrom(QStringView source);
  /// Markup with the placeholders as readable formulas.
  QString putBack(const QString& markup) const;
  /// Text with the placeholders as they were written.
  QString sourceOf(const QString& text) const;
  /// The source of a display formula if it is all that this line of markup holds; else empty.
  QString displayFormula(QStringView line) const;
  bool isEmpty() const { return m_sources.isEmpty(); }

 private:
  QStringList m_sources;
};

/// Whether there is anything in it that only a formula has: a command, an index, an exponent.
bool looksLikeTex(QStringView text);
/// What ends a display formula that begins with this line; empty: none begins.
QString displayMathCloser(QStringView text);
/// Whether the formula has come to its end.
bool isWholeDisplayMath(QStringView text, const QString& closer);
/// The formula without \[ \], $$ or $; an environment keeps its \begin and \end.
QString withoutMathDelimiters(const QString& source);

}  // namespace quire
