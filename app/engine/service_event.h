#pragma once

#include <QString>

#include <functional>
#include <memory>
#include <variant>

#include "app/engine/engine_inspector.h"
#include "app/engine/load_planning.h"
#include "app/engine/serving_model.h"
#include "engine/engine.h"

namespace quire {

/// The number of a load; later loads have higher ones.
using LoadNumber = quint64;

// Events from the engine's and the loader's threads to the window's, as values.

/// A request has its first token.
struct PromptComputed {
  PromptReport report;
};
/// A request has finished. Its sink was called before.
struct RequestEnded {
  RequestId id = 0;
};
struct ThroughputMeasured {
  EngineReport report;
  EngineStats stats;
};
struct BlocksMapped {
  BlockMapSnapshot map;
};
struct LoadProgressed {
  LoadNumber load = 0;
  LoadPhase phase = LoadPhase::kWaiting;
  quint64 doneBytes = 0;   ///< Of the weights, in their files.
  quint64 totalBytes = 0;  ///< 0 before they are known.
};
/// What a load would do (ModelHost::load); with plan.error if it cannot.
struct LoadPlanned {
  LoadNumber load = 0;
  PlannedLoad planned;
};
struct LoadEnded {
  LoadNumber load = 0;
  std::shared_ptr<ServingModel> model;
  QString error;  ///< Empty if there is a model, or if it was cancelled.
};
struct ModelReady {
  LoadNumber load = 0;
  ModelDescription model;
  std::shared_ptr<const ChatFormat> chat = nullptr;
};
struct ModelFailed {
  LoadNumber load = 0;
  QString error;  ///< Its device is lost: the model does not serve any more.
};
/// The model has released its devices until resume().
struct RoomMade {};
/// The model is unloaded and its memory is free.
struct ModelUnloaded {};

using LoadEvent = std::variant<LoadProgressed, LoadPlanned, LoadEnded>;
using WorkerEvent = std::variant<PromptComputed, RequestEnded, ThroughputMeasured, BlocksMapped,
                                 ModelReady, ModelFailed, RoomMade, ModelUnloaded>;

/// Receives the events of one thread, in their order, on that thread.
using TellLoadEvent = std::function<void(LoadEvent)>;
using TellWorkerEvent = std::function<void(WorkerEvent)>;

}  // namespace quire
