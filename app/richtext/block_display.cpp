#include "app/richtext/block_display.h"

#include <QFont>
#include <QFontMetricsF>
#include <QLocale>

#include <algorithm>

#include "app/richtext/markup_text.h"
#include "app/richtext/math_spans.h"

namespace quire {
namespace {

constexpr int kLongLines = 20;

/// The number of letters of the longest line; wide letters count twice, tags do not count.
int weightOf(const QString& markup) {
  int longest = 0;
  int weight = 0;
  bool inTag = false;
  for (qsizetype i = 0; i < markup.size(); ++i) {
    const QChar c = markup[i];
    if (c == u'<') {
      inTag = true;
      if (QStringView(markup).mid(i).startsWith(u"<br")) weight = 0;
    }
    if (!inTag) longest = std::max(longest, weight += c.unicode() > 0x1100 ? 2 : 1);
    if (c == u'>') inTag = false;
  }
  return longest;
}

double measure(const QString& markup, bool isHead) {
  QFont font(QStringLiteral("Inter"));
  font.setPixelSize(13);
  if (isHead) font.setWeight(QFont::DemiBold);
  QString text;
  double width = 0.0;
  double formulas = 0.0;  // Beside the text, if all of it is on one line.
  for (const MarkupRun& run : parseMarkup(markup)) {
    const FormulaPtr formula =
        run.math ? formulaOf(withoutMathDelimiters(run.text), false) : nullptr;
    if (formula) {
      formulas += formula->box.width * font.pixelSize() * kFormulaScale;
    } else {
      text += run.text;
    }
  }
  for (const QString& line : text.split(QChar(QChar::LineSeparator))) {
    width = std::max(width, QFontMetricsF(font).horizontalAdvance(line.left(400)));
  }
  const bool hasCode = markup.contains(u"<code>");  // The monospaced font is wider.
  return (hasCode ? width * 1.2 : width) + formulas;
}

}  // namespace

QString BlockDisplay::lineCountText() const {
  if (m_lineCount <= kLongLines) return {};
  return tr("%1 lines").arg(QLocale().toString(m_lineCount));
}

void BlockDisplay::setLineCount(int count) {
  if (count == m_lineCount) return;
  m_lineCount = count;
  emit lineCountChanged();
}

void BlockDisplay::noteCells(const QStringList& cells, bool isHead) {
  bool grew = false;
  while (m_columnWidths.size() < cells.size()) {
    m_columnWidths.append(0.0);
    m_columnWeights.append(-1);
  }
  for (qsizetype i = 0; i < cells.size(); ++i) {
    // The sources of formulas say little about their widths.
    const bool hasFormula = cells[i].contains(QLatin1String("<math>"));
    const int weight = hasFormula ? 0 : weightOf(cells[i]);
    if (weight <= m_columnWeights[i] && !hasFormula) continue;
    m_columnWeights[i] = std::max(m_columnWeights[i], weight);
    const double width = measure(cells[i], isHead) + 2.0;
    if (width <= m_columnWidths[i]) continue;
    m_columnWidths[i] = width;
    grew = true;
  }
  if (grew) emit columnWidthsChanged();
}

void BlockDisplay::noteWidth(double width) {
  if (width <= m_contentWidth) return;
  m_contentWidth = width;
  emit contentWidthChanged();
}

}  // namespace quire
