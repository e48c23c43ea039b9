#pragma once

#include <QElapsedTimer>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTest>

#include <algorithm>
#include <functional>
#include <optional>

namespace quire {

constexpr int kStillMs = 60;  ///< Longer than a frame: nothing slides or grows any more.
/// In so many looks, between which events are handled: on a busy machine no frame may come for
/// long.
constexpr int kStillLooks = 5;

inline QPointF middleOf(const QQuickItem& item) {
  return item.mapToScene({item.width() / 2, item.height() / 2});
}

/// The middle of the item that `look` finds (null: not there yet), once it stands still; none if
/// that does not come.
inline std::optional<QPoint> placeOfStill(const std::function<const QQuickItem*()>& look,
                                          int patienceMs) {
  std::optional<QPointF> last;
  QElapsedTimer still;
  int looks = 0;
  const auto isStill = [&] {
    const QQuickItem* item = look();
    const auto at = item ? std::optional(middleOf(*item)) : std::nullopt;
    if (at != last || !at) {
      still.start();
      looks = 0;
    }
    last = at;
    return at && ++looks >= kStillLooks && still.elapsed() >= kStillMs;
  };
  if (!QTest::qWaitFor(isStill, patienceMs)) return {};
  return last->toPoint();
}

/// The menus, cards and sheets over the window, with those that are coming or going; no hints.
inline QList<const QObject*> shownPopups(const QQuickWindow& window) {
  QList<const QObject*> popups;
  for (const QQuickItem* layer : window.contentItem()->childItems()) {
    if (!layer->inherits("QQuickOverlay")) continue;
    for (const QQuickItem* item : layer->childItems()) {
      const QObject* popup = item->parent();
      const bool isPopup = popup && popup->inherits("QQuickPopup");
      if (isPopup && item->isVisible() && !popup->inherits("QQuickToolTip")) popups.append(popup);
    }
  }
  return popups;
}

/// None of them is coming or going. (One that is may take no clicks.)
inline bool areAllOpen(const QList<const QObject*>& popups) {
  return std::ranges::all_of(
      popups, [](const QObject* popup) { return popup->property("opened").toBool(); });
}

}  // namespace quire
