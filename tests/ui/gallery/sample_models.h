#pragma once

#include <memory>

#include "app/engine/model_state.h"
#include "app/models/scan/model_scanner.h"

namespace quire::gallery {

class Stage;

/// A scanner that looks in that home alone and reads from a file's name what is in it.
std::unique_ptr<ModelScanner> sampleScanner(const QString& home, const QString& systemRoot);

/// Empty files with the names of well-known models, with the memory that each would need.
void addSampleFiles(Stage& stage);
void addFile(Stage& stage, const QString& belowHome);

/// The little model that comes with Quire, as the backend tells of it.
ModelState bundledModel();
/// Phi-4-mini, of the user's own folder.
ModelState ownModel(const Stage& stage);

}  // namespace quire::gallery
