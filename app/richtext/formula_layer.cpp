#include "app/richtext/formula_layer.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>

namespace quire {

void FormulaLayer::setMarkup(MarkupText* markup) {
  if (markup == m_markup) return;
  if (m_markup) m_markup->disconnect(this);
  m_markup = markup;
  if (markup) connect(markup, &MarkupText::formulasChanged, this, &FormulaLayer::follow);
  follow();
  emit markupChanged();
}

/// Lays the formulas anew, now and whenever the text is laid out.
void FormulaLayer::follow() {
  QTextDocument* document = m_markup ? m_markup->textDocument() : nullptr;
  const bool hasFormulas = document && !m_markup->formulas().isEmpty();
  if (hasFormulas && m_followed != document->documentLayout()) {
    if (m_followed) m_followed->disconnect(this);
    QAbstractTextDocumentLayout* layout = document->documentLayout();
    connect(layout, &QAbstractTextDocumentLayout::documentSizeChanged, this, [this] { polish(); });
    connect(layout, &QAbstractTextDocumentLayout::update, this, [this] { polish(); });
    m_followed = layout;
  }
  if (hasFormulas || !placed().isEmpty()) polish();
}

void FormulaLayer::updatePolish() {
  show(laidOut(), m_markup ? m_markup->formulaEm() : 0.0);
  FormulaItem::updatePolish();
}

QList<FormulaItem::Placed> FormulaLayer::laidOut() const {
  QList<Placed> placed;
  QTextDocument* document = m_markup ? m_markup->textDocument() : nullptr;
  if (!document) return placed;
  for (const MarkupText::InlineFormula& formula : m_markup->formulas()) {
    const QTextBlock block = document->findBlock(formula.position);
    if (!block.isValid()) continue;
    const QPointF at = document->documentLayout()->blockBoundingRect(block).topLeft();
    const int inBlock = formula.position - block.position();
    const QTextLine line = block.layout()->lineForTextPosition(inBlock);
    if (!line.isValid()) continue;
    // In a text from right to left the space begins at its right end.
    const double left = std::min(line.cursorToX(inBlock, QTextLine::Leading),
                                 line.cursorToX(inBlock, QTextLine::Trailing));
    placed.append({formula.formula, QPointF(at.x() + left, at.y() + line.y() + line.ascent())});
  }
  return placed;
}

void FormulaLayer::geometryChange(const QRectF& now, const QRectF& before) {
  FormulaItem::geometryChange(now, before);
  if (m_markup && !m_markup->formulas().isEmpty()) polish();
}

}  // namespace quire
