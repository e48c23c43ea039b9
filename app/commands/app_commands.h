#pragma once

namespace quire {

class AppModel;

/// Puts what the window can do into its list of commands; `app` outlives them.
void addAppCommands(AppModel& app);

}  // namespace quire
