#pragma once

#include <QQmlApplicationEngine>

#include <memory>

#include "app/app_model.h"

namespace quire {

/// The application's font, control style and renderer. Once, before the first window.
void setUpLook();

/// Makes the modules Quire and Quire.Models known to QML; openWindow() does it too.
void registerQmlTypes();

/// Quire's window on `app`, which must outlive it. Null if its QML does not load (a defect; the log
/// says why).
std::unique_ptr<QQmlApplicationEngine> openWindow(AppModel& app);

}  // namespace quire
