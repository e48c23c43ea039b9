#pragma once

namespace quire {

/// What a merge did.
struct MergeReport {
  int chatsAdded = 0;
  int chatsCompleted = 0;  ///< Were there, and got messages or a newer state.
  int chatsKnown = 0;      ///< Were there as they are, or newer.
  int chatsDamaged = 0;    ///< Could not be read.
  int messagesAdded = 0;
  int personasAdded = 0;
  int foldersAdded = 0;
  int settingsAdded = 0;  ///< Of models, and of the program.
};

}  // namespace quire
