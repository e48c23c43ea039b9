#pragma once

#include <QList>
#include <QQuickItem>
#include <QRectF>

class QTextDocument;

namespace quire {

/// The read-only text items inside an item that are shown, in reading order.
QList<QQuickItem*> textItemsOf(QQuickItem* item);
/// The document of a text item; null: it has none.
QTextDocument* documentOf(const QQuickItem* text);
/// The rectangles of the characters from `begin` on, one a line, in the text item's coordinates.
QList<QRectF> rectsOf(const QTextDocument& document, qsizetype begin, qsizetype length);
/// A rectangle of `item` in the coordinates of `target`, without what the items between them clip.
QRectF shownRect(QQuickItem* item, const QRectF& rect, QQuickItem* target);

}  // namespace quire
