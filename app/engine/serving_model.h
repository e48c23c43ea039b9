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
};

/// Starts the devices again after Engine::device_failure(), loads the weights and lets the engine
/// go on. Errors: as Engine::reopen; kOutOfMemory.
Result<void> reopen(ServingModel& serving);

/// There is not enough memory to load the model with that path.
Error outOfMemory(const QString& path);

/// Does not set isDemonstration.
ModelDescription describe(ServingModel& serving);

}  // namespace quire
