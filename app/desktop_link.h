#pragma once

#include "app/app_model.h"

namespace quire {

/// Gives the window the desktop's notifications, and shows in the task bar how far loads and
/// downloads are and how many chats are being answered. Does nothing without a session bus.
void linkDesktop(AppModel& app);

}  // namespace quire
