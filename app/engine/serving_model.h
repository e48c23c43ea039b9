#pragma once

#include <QString>

#include <functional>
#include <memory>

#include "app/engine/model_manager.h"
#include "engine/engine.h"
#include "engine/memory/model_devices.h"

namespace quire {

/// A loaded model, ready to answer, with the devices that it is on.
/// Thread: one at a time; made on the loader's, then handed to the engine's.
struct ServingModel {
  QString path;
  ModelDevices devices;  ///< Before the engine: they must outlive it.
  std::unique_ptr<Engine> engine;
  /// Starts the devices again after Engine::device_failure(), loads the weights and lets the engine
  /// go on.
  std::function<Result<void>(ServingModel& serving)> reopen;
};

/// isDemonstration is left open.
ModelDescription describe(ServingModel& serving);

}  // namespace quire
