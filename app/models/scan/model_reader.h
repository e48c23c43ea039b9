#pragma once

#include "app/models/scan/model_facts.h"

namespace quire {

/// Reads the headers of a GGUF file or a Hugging Face folder with the engine's reader in this
/// process, so that the engine can load what has no obstacle here. Takes up to a second for a large
/// vocabulary. Thread: any.
ModelFacts readModelFacts(const QString& path);

/// Cuts the texts of the files, which are untrusted, to what a card shows.
void cutTexts(ModelFacts& facts);
Error shownError(Error error);

/// Changes whenever the reader may give other facts for the same file.
QString modelReaderVersion();

}  // namespace quire
