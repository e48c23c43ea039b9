#pragma once

#include <QString>

#include <memory>

#include "engine/engine.h"
#include "kernels/backend.h"

namespace quire {

/// A loaded model, ready to answer, with the device that it is on.
/// Thread: one at a time; made on the loader's, then handed to the engine's.
struct ServingModel {
  QString path;
  std::unique_ptr<Backend> backend;  ///< Before the engine: it must outlive it.
  std::unique_ptr<Engine> engine;
};

}  // namespace quire
