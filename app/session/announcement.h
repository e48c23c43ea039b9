#pragma once

#include <QAccessible>
#include <QObject>
#include <QString>

namespace quire {

/// Makes screen readers say a text at once. `speaker`: an item whose accessible name is the text,
/// for versions of Qt that can only say what an item is called; null: nothing is said.
/// Thread: the window's.
inline void announce(QObject* speaker, [[maybe_unused]] const QString& text) {
  if (speaker == nullptr) return;
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
  QAccessibleAnnouncementEvent event(speaker, text);
#else
  QAccessibleEvent event(speaker, QAccessible::Alert);  // Its name changed just before.
#endif
  QAccessible::updateAccessibility(&event);
}

}  // namespace quire
