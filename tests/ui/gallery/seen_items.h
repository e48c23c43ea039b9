#pragma once

#include <QQuickItem>
#include <QRectF>
#include <QString>

#include <optional>

namespace quire::gallery {

// What the checks of the gallery ask of the items of a window.

/// "ChatRow" of "ChatRow_QMLTYPE_27"; empty for what is not a component of the window.
QString componentOf(const QObject& object);
/// The components that an item is in: "Sidebar/ChatRow".
QString placeOf(const QQuickItem& item);
bool isText(const QQuickItem& item);  ///< Not an empty one.
/// Whether it is neither hidden, transparent nor without a size.
bool isSeen(const QQuickItem& item);
/// Where the letters of a text are, in the window.
QRectF lettersOf(const QQuickItem& text);
/// The part of the window through which an item is seen; nothing when it is scrolled out of sight.
std::optional<QRectF> viewOf(const QQuickItem& item, const QRectF& window);

}  // namespace quire::gallery
