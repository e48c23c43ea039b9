#pragma once

#include "app/models/scan/model_facts.h"

namespace quire {

/// Reads a GGUF file's or a Hugging Face folder's headers with the engine's own reader, so that
/// what is said here to load does load. Takes up to a second for a large vocabulary. Thread: any.
ModelFacts readModelFacts(const QString& path);

/// Changes whenever the same file may be judged anew.
QString modelReaderVersion();

}  // namespace quire
