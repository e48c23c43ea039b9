#pragma once

#include <optional>

#include "app/app_model.h"
#include "app/store/prefix/prefix_database.h"

namespace quire {

/// The prefix database in the user's data folder; its trouble goes to Qt's log.
std::shared_ptr<PrefixDatabase> openPrefixDatabase(const QString& dataFolder);

/// Lets the database follow the user's data from now on. When they are opened, what is kept for
/// chats and personas that are gone is forgotten, and the budgets are taken from the settings
/// (prefix.personaMiB, prefix.chatMiB; `mebibytes`, if given, for both); when a chat is deleted for
/// good, so is what was kept for it.
void linkPrefixDatabase(AppModel& app, std::shared_ptr<PrefixDatabase> database,
                        std::optional<int> mebibytes = {});

}  // namespace quire
