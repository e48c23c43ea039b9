#include "app/chat/row_texts.h"

#include <QTextDocument>

#include <algorithm>

#include "app/chat/chat_selection.h"
#include "app/chat/text_areas.h"
#include "app/richtext/formula_item.h"
#include "app/richtext/markup_text.h"

namespace quire {

RowText::RowText(QQuickItem* item, qsizetype begin)
    : m_item(item),
      m_markup(item->findChild<MarkupText*>(QString(), Qt::FindDirectChildrenOnly)),
      m_isFormula(qobject_cast<FormulaView*>(item) != nullptr),
      m_begin(begin) {
  const QTextDocument* document = documentOf(item);
  m_length = m_isFormula ? TextPosition::kEnd
             : m_markup  ? m_markup->sourcePosition(TextPosition::kEnd)
             : document  ? document->characterCount() - 1
                         : 0;
}

void RowText::collect(QQuickItem* item, QList<QQuickItem*>& found) {
  for (QQuickItem* child : item->childItems()) {
    if (!child->isVisible()) continue;
    const auto* formula = qobject_cast<FormulaView*>(child);
    const bool isText = child->inherits("QQuickTextEdit") && child->property("readOnly").toBool();
    if (isText || (formula && formula->isTypeset())) {
      found.append(child);
    } else {
      collect(child, found);
    }
  }
}

QList<RowText> RowText::of(QQuickItem* row) {
  QList<QQuickItem*> items;
  collect(row, items);
  QList<RowText> texts;
  qsizetype begin = 0;
  for (QQuickItem* item : items) {
    const RowText text(item, begin);
    begin += text.m_length + 1;  // A tab separates the cells of a table.
    texts.append(text);
  }
  return texts;
}

qsizetype RowText::positionAt(const QPointF& point) const {
  if (m_isFormula) return point.x() < m_item->width() / 2 ? 0 : TextPosition::kEnd;
  int position = 0;
  QMetaObject::invokeMethod(m_item, "positionAt", Q_RETURN_ARG(int, position),
                            Q_ARG(double, point.x()), Q_ARG(double, point.y()));
  return blockPosition(position);
}

int RowText::documentPosition(qsizetype position) const {
  const qsizetype inItem = std::clamp<qsizetype>(position - m_begin, 0, m_length);
  return static_cast<int>(m_markup ? m_markup->documentPosition(inItem) : inItem);
}

qsizetype RowText::blockPosition(int inDocument) const {
  return m_begin + (m_markup ? m_markup->sourcePosition(inDocument) : inDocument);
}

std::pair<int, int> RowText::inDocument(const TextSpan& span) const {
  const qsizetype from = std::clamp<qsizetype>(span.begin - m_begin, 0, m_length);
  const qsizetype to = std::clamp<qsizetype>(span.begin + span.length - m_begin, 0, m_length);
  if (from >= to) return {0, 0};
  if (m_isFormula) return {0, 1};
  if (!m_markup) return {static_cast<int>(from), static_cast<int>(to)};
  // A formula that is selected in part is shown selected whole.
  const qsizetype first = m_markup->documentPosition(from);
  const qsizetype last = m_markup->documentPosition(to - 1) + 1;
  return {static_cast<int>(first), static_cast<int>(last)};
}

}  // namespace quire
