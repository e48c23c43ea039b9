#include "app/chat/text_areas.h"

#include <QAbstractTextDocumentLayout>
#include <QQuickTextDocument>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <limits>

namespace quire {

QList<QQuickItem*> textItemsOf(QQuickItem* item) {
  QList<QQuickItem*> found;
  for (QQuickItem* child : item->childItems()) {
    if (!child->isVisible()) continue;
    const bool isText = child->inherits("QQuickTextEdit") && child->property("readOnly").toBool();
    if (isText) {
      found.append(child);
    } else {
      found += textItemsOf(child);
    }
  }
  return found;
}

QTextDocument* documentOf(const QQuickItem* text) {
  auto* document = text->property("textDocument").value<QQuickTextDocument*>();
  return document ? document->textDocument() : nullptr;
}

std::pair<int, int> positionsIn(const QQuickItem* text, const QTextDocument& document,
                                const QQuickItem* target, const QRectF& part) {
  constexpr double kFar = 1e6;  // Beyond either end of a line, which may run to the left.
  const QRectF shown = text->mapRectFromItem(target, part);
  const QAbstractTextDocumentLayout* layout = document.documentLayout();
  int first = std::numeric_limits<int>::max();
  int last = 0;
  for (const double y : {shown.top(), shown.bottom()}) {
    for (const double x : {-kFar, kFar}) {
      const int position = layout->hitTest({x, y}, Qt::FuzzyHit);
      if (position < 0) return {0, document.characterCount()};
      first = std::min(first, position);
      last = std::max(last, position);
    }
  }
  return {first, last};
}

QList<QRectF> rectsOf(const QTextDocument& document, qsizetype begin, qsizetype length) {
  QList<QRectF> rects;
  const qsizetype end = begin + length;
  QTextBlock block = document.findBlock(static_cast<int>(begin));
  for (; block.isValid() && block.position() < end; block = block.next()) {
    const QTextLayout* layout = block.layout();
    const auto inBlock = static_cast<int>(std::max<qsizetype>(begin - block.position(), 0));
    const QTextLine start = layout ? layout->lineForTextPosition(inBlock) : QTextLine();
    if (!start.isValid()) continue;
    for (int i = start.lineNumber(); i < layout->lineCount(); ++i) {
      const QTextLine line = layout->lineAt(i);
      const int first = block.position() + line.textStart();
      if (first >= end) break;
      const auto from = static_cast<int>(std::max<qsizetype>(begin, first));
      const auto to = static_cast<int>(std::min<qsizetype>(end, first + line.textLength()));
      if (from >= to) continue;
      const qreal left = line.cursorToX(from - block.position());
      const qreal right = line.cursorToX(to - block.position());
      const QPointF origin = layout->position() + QPointF(0.0, line.y());
      rects.append(QRectF(origin.x() + std::min(left, right), origin.y(), std::abs(right - left),
                          line.height()));
    }
  }
  return rects;
}

QRectF shownRect(QQuickItem* item, const QRectF& rect, QQuickItem* target) {
  QRectF shown = item->mapRectToItem(target, rect);
  for (QQuickItem* at = item; at && at != target; at = at->parentItem()) {
    if (at->clip()) shown &= at->mapRectToItem(target, at->clipRect());
  }
  return shown;
}

}  // namespace quire
