#pragma once

#include <QHash>
#include <QList>
#include <QQuickWindow>
#include <QRectF>
#include <QStringList>

namespace quire::gallery {

/// Where the parts of a window are, by what they are.
/// Each number of a text is 0 in its key.
using Places = QHash<QString, QList<QRectF>>;

Places placesIn(const QQuickWindow& window);

/// The parts of a window from left to right that are not at the mirrored place, within a pixel, in
/// the same window from right to left. Left out is what keeps its direction: code, formulas, plots,
/// the map of blocks, key caps, and what has the direction of its text, such as a list in an
/// answer.
QStringList findUnmirrored(const Places& fromLeft, const Places& fromRight, double width);

}  // namespace quire::gallery
