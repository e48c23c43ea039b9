#pragma once

#include "app/models/files/file_hash.h"
#include "app/models/files/move_journal.h"
#include "app/models/files/verify_model.h"

namespace quire {

/// A move that can be made, or why it cannot.
struct MovePlan {
  ModelMove move;
  QString problem;  ///< Empty if it can.
  qint64 freeBytes = 0;
};

/// Plans to move a model below `folder`. Several files of a model get a folder of their own. An
/// existing file is never replaced. Errors, in `problem`: the model's own (ModelParts), no such
/// folder, the same folder, a name that is taken, too little space.
MovePlan planMove(const StoredModel& model, const ModelParts& parts, const QString& folder);

/// The steps of a move. Each leaves at least one whole copy of the model, and the journal says how
/// to go on after a crash between them:
///   1. copyModel: writes the journal, copies into the hidden staging folder, reads the copies back
///      and compares their hashes, and makes them the target in one step;
///   2. the caller tells chats and settings of the new path, durably;
///   3. removeSource: removes the files at the old place, and the journal.
/// Returns why it failed, an empty text on success. After a failure or a stop nothing is left but
/// the source.
QString copyModel(const ModelMove& move, const MoveJournal& journal, const std::stop_token& stop,
                  const FileProgress& progress);
/// Removes what was copied. Files that changed since are left, which the returned text says.
QString removeSource(const ModelMove& move, const MoveJournal& journal);

/// The move that a crash interrupted, if its target is complete: the caller does steps 2 and 3. A
/// move whose target is not complete is undone. nullopt: there is nothing to do.
std::optional<ModelMove> recoverMove(const MoveJournal& journal);

}  // namespace quire
