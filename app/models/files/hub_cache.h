#pragma once

#include "app/models/files/stored_model.h"

namespace quire {

/// Whether a path lies in the cache of the Hugging Face libraries:
/// ".../models--org--name/snapshots/<revision>/...".
bool isInHubCache(const QString& path);

/// Lists the blobs that a snapshot's links lead to. Several revisions may share them, so Quire
/// neither deletes nor moves them: the problem names the command that does.
void addHubCacheParts(const StoredModel& model, ModelParts& parts);

}  // namespace quire
