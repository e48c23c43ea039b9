#include "tests/ui/gallery/seen_items.h"

namespace quire::gallery {

QString componentOf(const QObject& object) {
  const QString name = QString::fromLatin1(object.metaObject()->className());
  const qsizetype end = name.indexOf(QLatin1String("_QML"));
  return end > 0 ? name.left(end) : QString();
}

QString placeOf(const QQuickItem& text) {
  QStringList path;
  for (const QQuickItem* at = &text; at && path.size() < 4; at = at->parentItem()) {
    const QString component = componentOf(*at);
    if (!component.isEmpty() && !path.startsWith(component)) path.prepend(component);
  }
  return path.join(QLatin1Char('/'));
}

bool isText(const QQuickItem& item) {
  return item.inherits("QQuickText") && !item.property("text").toString().isEmpty();
}

QRectF lettersOf(const QQuickItem& text) {
  const double left = text.property("leftPadding").toDouble();
  const double width = text.property("contentWidth").toDouble();
  const double room = text.width() - left - text.property("rightPadding").toDouble();
  const int alignment = text.property("effectiveHorizontalAlignment").toInt();
  double x = left;
  if (alignment & Qt::AlignRight) x = left + room - width;
  if (alignment & Qt::AlignHCenter) x = left + (room - width) / 2;
  return text.mapRectToScene({x, 0.0, width, text.height()});
}

std::optional<QRectF> viewOf(const QQuickItem& item, const QRectF& window) {
  QRectF view = window;
  for (const QQuickItem* at = item.parentItem(); at; at = at->parentItem()) {
    if (at->clip()) view &= at->mapRectToScene({0.0, 0.0, at->width(), at->height()});
  }
  const QRectF place = item.mapRectToScene({0.0, 0.0, item.width(), item.height()});
  if (!view.intersects(place)) return std::nullopt;
  return view;
}

bool isSeen(const QQuickItem& item) {
  for (const QQuickItem* at = &item; at; at = at->parentItem())
    if (!at->isVisible() || at->opacity() < 0.05) return false;
  return item.width() > 0 && item.height() > 0;
}

}  // namespace quire::gallery
