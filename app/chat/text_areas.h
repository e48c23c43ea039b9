#pragma once

#include <QList>
#include <QQuickItem>
#include <QRectF>

#include <utility>

class QTextDocument;

namespace quire {

/// The item that shows a row of a ListView, which has no public C++ header; null: none does now.
QQuickItem* rowItem(QQuickItem* view, int row);
/// The read-only text items inside an item that are shown, in reading order.
QList<QQuickItem*> textItemsOf(QQuickItem* item);
/// The document of a text item; null: it has none.
QTextDocument* documentOf(const QQuickItem* text);
/// The first and the last position of a text item's characters that are level with a part of
/// `target`.
std::pair<int, int> positionsIn(const QQuickItem* text, const QTextDocument& document,
                                const QQuickItem* target, const QRectF& part);
/// The rectangles of the characters from `begin` on, one a line, in the text item's coordinates.
QList<QRectF> rectsOf(const QTextDocument& document, qsizetype begin, qsizetype length);
/// A rectangle of `item` in the coordinates of `target`, without what the items between them clip.
QRectF shownRect(QQuickItem* item, const QRectF& rect, QQuickItem* target);

/// Scrolls the wide code or table in `view` that an item is in to a rectangle of the item.
void scrollSideways(QQuickItem* item, const QRectF& rect, const QQuickItem* view);

}  // namespace quire
