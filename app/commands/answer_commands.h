#pragma once

namespace quire {

class AppModel;

/// The commands of all answers together, and of the shown chat's last message.
void addAnswerCommands(AppModel& app);

}  // namespace quire
