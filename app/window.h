#pragma once

#include <QQmlApplicationEngine>
#include <QSize>

#include <memory>

#include "app/app_model.h"

namespace quire {

/// Whether there is a graphics processor that programs may draw with, from the devices in a folder
/// such as /dev: a render node, NVIDIA's own, or the one of Windows' subsystem.
bool hasGraphicsProcessor(const QString& devices);

/// Makes the fonts of a folder known to this program; packages that may not rely on the system's
/// have them in share/quire/fonts. How many could be read: 0 where there is no such folder.
int addFonts(const QString& folder);

/// The application's font, icon, control style and renderer. Once, before the first window.
void setUpLook();

/// Makes the modules Quire and Quire.Models known to QML; openWindow() does it too.
void registerQmlTypes();

/// The size of a window that wants to be `wanted` large, on a screen where `available` is free of
/// panels: its title bar fits there, too. An empty `available` is not known.
QSize sizeOnScreen(QSize wanted, QSize available);

/// Quire's window on `app`, which must outlive it. `available`: of its screen, for sizeOnScreen().
/// Null if its QML does not load (a defect; the log says why).
std::unique_ptr<QQmlApplicationEngine> openWindow(AppModel& app, QSize available = {});

}  // namespace quire
