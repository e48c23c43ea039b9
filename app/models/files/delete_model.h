#pragma once

#include "app/models/files/stored_model.h"

namespace quire {

/// Where deleted files go.
enum class Disposal {
  kTrash,    ///< The desktop's; the disk space is free when it is emptied.
  kForGood,  ///< They cannot be restored.
};

struct Deletion {
  int numDeleted = 0;  ///< Files.
  qint64 bytes = 0;    ///< Of them.
  QString problem;     ///< Why not all files are deleted; empty if they are.
};

/// Deletes the files of a model that were listed, and folders that hold nothing else then. It stops
/// at a file that is another one by now, is no regular file, or cannot be deleted. Never falls back
/// from the trash to deleting for good. Takes time where the trash is on another disk.
Deletion deleteModel(const ModelParts& parts, Disposal disposal);

}  // namespace quire
