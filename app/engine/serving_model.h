#pragma once

#include <QString>

#include <memory>

#include "app/engine/model_manager.h"
#include "engine/engine.h"
#include "engine/memory/model_devices.h"

namespace quire {

/// A loaded model, ready to answer, with its devices.
/// Thread: one at a time; made on the loader's, then handed to the engine's.
struct ServingModel {
  QString path;
  int maxContext = 0;    ///< The value of EngineOptions::max_context at its load.
  ModelDevices devices;  ///< Before the engine: they must outlive it.
  std::unique_ptr<Engine> engine;
  QString draftPath = {};            ///< Its draft model's file or folder; empty: none.
  BackendOptions draftBackend = {};  ///< The options of the model's own load.
  QString draftName = {};            ///< Of the draft model that guesses; empty: none does.
  QString draftNote = {};            ///< Why the draft model is not used; else empty.
};

/// Loads the model's draft model, if it has one, and sets draftName. If that fails, the model
/// serves without a draft model, and draftNote says why.
void openDraft(ServingModel& serving, const LoadOptions& load = {});
/// Frees the draft model's memory and devices, and clears draftName.
void closeDraft(ServingModel& serving);

/// Starts the devices again after Engine::device_failure(), loads the weights and lets the engine
/// go on. Errors: as Engine::reopen; kOutOfMemory.
Result<void> reopen(ServingModel& serving);

/// "The draft model is not used: " and why.
QString unusedDraft(const Error& error);

/// There is not enough memory to load the model with that path.
Error outOfMemory(const QString& path);

/// Does not set isDemonstration.
ModelDescription describe(ServingModel& serving);

}  // namespace quire
