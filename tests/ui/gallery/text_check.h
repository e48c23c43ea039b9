#pragma once

#include <QQuickWindow>
#include <QStringList>

namespace quire::gallery {

/// What is wrong with the texts of a window, a sentence each: one is cut short that must be read
/// whole, is wider than its place, or reaches over the window's edge or that of what holds it.
/// Words of the user's own (a chat's title, a file's name) may be cut short with an ellipsis.
QStringList findCutTexts(const QQuickWindow& window);

}  // namespace quire::gallery
