#include "tests/ui/gallery/mirror_check.h"

#include <QQuickItem>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

#include "tests/ui/gallery/seen_items.h"

namespace quire::gallery {
namespace {

constexpr double kSlack = 1.5;  ///< A pixel, and what rounding adds to it.

/// What is inside keeps its direction.
const char* const kOneWayNames[] = {"codeScroll", "keyCaps"};
const char* const kOneWayComponents[] = {
    // Numbers, time and formulas.
    "BlockMap", "FormulaView", "HistoryPlot",
    // The direction of the text.
    "ParagraphBlock", "HeadingBlock", "FormulaBlock", "TableBlock", "CodeFrame"};

bool keepsDirection(const QQuickItem& item) {
  const QString component = componentOf(item);
  const auto isNamed = [&](const char* name) { return item.objectName() == QLatin1String(name); };
  const auto isOne = [&](const char* name) { return component == QLatin1String(name); };
  return std::ranges::any_of(kOneWayNames, isNamed) ||
         std::ranges::any_of(kOneWayComponents, isOne);
}

/// What has no place of its own: it is as large as what it is in, or moves.
bool isPart(const QQuickItem& item) {
  return componentOf(item) == QLatin1String("ActivityMark") ||
         item.inherits("QQuickShortcutContext");
}

/// Numbers are left out: they tell the time, or how long something took.
QString keyOf(const QQuickItem& item) {
  static const QRegularExpression kNumbers(QStringLiteral("[0-9]+"));
  QString text = isText(item) ? item.property("text").toString().left(40) : QString();
  text.replace(kNumbers, QStringLiteral("0"));
  const QString kind = QString::fromLatin1(item.metaObject()->className()).section("_QML", 0, 0);
  return QStringLiteral("%1 %2%3 \"%4\"").arg(placeOf(item), kind, item.objectName(), text);
}

void addPlaces(const QQuickItem& item, const QRectF& window, Places& places) {
  for (const QQuickItem* child : item.childItems()) {
    if (!child->isVisible() || child->opacity() < 0.05) continue;
    const QRectF area = isText(*child)
                            ? lettersOf(*child)
                            : child->mapRectToScene({0, 0, child->width(), child->height()});
    const bool isIn = viewOf(*child, window) && child->width() > 0 && child->height() > 0;
    // The one draws nothing, and what is in it has its own place; the other is placed by Qt.
    const bool isLeftOut = child->metaObject() == &QQuickItem::staticMetaObject ||
                           child->inherits("QQuickScrollIndicator");
    if (isIn && !isLeftOut) places[keyOf(*child)].append(area);
    if (!keepsDirection(*child) && !isPart(*child)) addPlaces(*child, window, places);
  }
}

bool isBefore(const QRectF& one, const QRectF& other) {
  if (std::abs(one.y() - other.y()) > kSlack) return one.y() < other.y();
  return one.x() < other.x();
}

/// How far a part is from where it should be. Between two pictures a time goes on from 19:59 to
/// 20:00, which is wider: such a text is in its place if its start, its middle or its end is.
double offBy(const QRectF& found, const QRectF& wanted, bool hasNumber) {
  const double left = std::abs(found.x() - wanted.x());
  const double right = std::abs(found.right() - wanted.right());
  if (!hasNumber) return std::max(left, right);
  return std::min({left, right, std::abs(found.center().x() - wanted.center().x())});
}

QString shown(const QRectF& rect) {
  return QStringLiteral("%1+%2").arg(rect.x()).arg(rect.width());
}

}  // namespace

Places placesIn(const QQuickWindow& window) {
  Places places;
  addPlaces(*window.contentItem(), {0.0, 0.0, 1.0 * window.width(), 1.0 * window.height()}, places);
  return places;
}

QStringList findUnmirrored(const Places& fromLeft, const Places& fromRight, double width) {
  QStringList faults;
  for (auto it = fromLeft.cbegin(); it != fromLeft.cend(); ++it) {
    const bool hasNumber = it.key().section('"', 1).contains('0');
    QList<QRectF> wanted;
    for (const QRectF& rect : *it) {
      wanted.append({width - rect.right(), rect.y(), rect.width(), rect.height()});
    }
    QList<QRectF> found = fromRight.value(it.key());
    std::ranges::sort(wanted, isBefore);
    std::ranges::sort(found, isBefore);
    for (qsizetype i = 0; i < std::min(wanted.size(), found.size()); ++i) {
      if (offBy(found[i], wanted[i], hasNumber) <= kSlack) continue;
      faults.append(QStringLiteral("%1 is at %2 instead of %3")
                        .arg(it.key(), shown(found[i]), shown(wanted[i])));
    }
    if (wanted.size() != found.size())
      faults.append(QStringLiteral("%1 is there %2 instead of %3 times")
                        .arg(it.key())
                        .arg(found.size())
                        .arg(wanted.size()));
  }
  return faults;
}

}  // namespace quire::gallery
