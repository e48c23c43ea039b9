#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>

namespace quire {

/// Replaces formulas in Markdown by placeholders before md4c parses it, so that it does not
/// interpret their underscores, stars and bars: $…$, $$…$$, \(…\), \[…\] and \begin{…} outside of
/// code. Prices such as $5 are not formulas.
class MathSpans {
 public:
  /// Replaces each formula in `text` by a placeholder of two characters.
  QString extract(QStringView text);
  /// The text with what looks like the beginning of a placeholder replaced, so that it stands for
  /// no formula.
  static QString withoutPlaceholders(QString text);
  /// Replaces the placeholders in markup by the formulas.
  QString restore(const QString& markup) const;
  /// Replaces the placeholders in text by the sources of the formulas.
  QString sourceOf(const QString& text) const;
  /// The source of a display formula if a line of markup holds nothing else; else empty.
  QString displayFormula(QStringView line) const;
  bool isEmpty() const { return m_sources.isEmpty(); }

 private:
  QStringList m_sources;
};

/// The markup of a formula with its delimiters.
QString mathMarkup(const QString& source);
/// Whether the text has a command, an index or an exponent.
bool looksLikeTex(QStringView text);
/// Where a formula begins in a line that has not arrived to its end, if its closing delimiter is
/// missing yet; -1: nowhere. A formula that is open for many characters does not count, because it
/// is rather a dollar sign of the text.
qsizetype openMathAt(QStringView line);
/// The closing delimiter of a display formula that begins with `text`; empty if none begins.
QString displayMathCloser(QStringView text);
/// Whether `text` is a complete display formula.
bool isWholeDisplayMath(QStringView text, const QString& closer);
/// The formula without \( \), \[ \], $$ or $; an environment keeps its \begin and \end.
QString withoutMathDelimiters(const QString& source);

}  // namespace quire
