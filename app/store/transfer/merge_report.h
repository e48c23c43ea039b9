#pragma once

#include <QList>

#include "app/store/records.h"

namespace quire {

/// What a merge did.
struct MergeReport {
  int chatsAdded = 0;
  int chatsCompleted = 0;  ///< Were there, and got messages or a newer state.
  int chatsKnown = 0;      ///< Were there as they are, or newer.
  int chatsDamaged = 0;    ///< Could not be read, or only in part.
  int messagesAdded = 0;
  int personasAdded = 0;
  int foldersAdded = 0;
  int settingsAdded = 0;      ///< Of models, and of the program.
  QList<RecordId> completed;  ///< The ids here of chatsCompleted.
  bool backedUp = false;      ///< A backup was made; false: the newest one has all of it.
};

}  // namespace quire
