#include "app/chat/text_areas.h"

#include <QQuickTextDocument>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>

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

QList<QRectF> rectsOf(const QTextDocument& document, qsizetype begin, qsizetype length) {
  QList<QRectF> rects;
  const qsizetype end = begin + length;
  QTextBlock block = document.findBlock(static_cast<int>(begin));
  for (; block.isValid() && block.position() < end; block = block.next()) {
    const QTextLayout* layout = block.layout();
    for (int i = 0; layout && i < layout->lineCount(); ++i) {
      const QTextLine line = layout->lineAt(i);
      const int first = block.position() + line.textStart();
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
