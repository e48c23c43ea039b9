#pragma once

#include <QString>

#include <variant>

#include "app/engine/chat_backend.h"
#include "app/engine/load_planning.h"
#include "engine/engine.h"

namespace quire {

/// Which of the loads that were asked for; later ones are higher.
using LoadNumber = quint64;

// What the engine's and the loader's threads tell the window's, as values.

struct AnswerStarted {
  RequestId id = 0;
  PromptReport report;
};
struct AnswerText {
  RequestId id = 0;
  QString text;
  int outputTokens = 0;  ///< So far, in all.
};
struct AnswerFinished {
  RequestId id = 0;
  AnswerReport report;
};
struct ForecastMade {
  quint64 number = 0;
  ContextForecast forecast;
};
struct PersonaMeasured {
  quint64 number = 0;
  PersonaReport report;
};
struct ThroughputMeasured {
  EngineReport report;
  EngineStats stats;
};
/// Takes the place of an earlier one that has not been taken.
struct BlocksMapped {
  BlockMapSnapshot map;
};
struct BlockRead {
  BlockReading reading;
};
/// Takes the place of an earlier one that has not been taken.
struct LoadProgressed {
  LoadNumber load = 0;
  LoadPhase phase = LoadPhase::kWaiting;
  quint64 doneBytes = 0;   ///< Of the weights, in their files.
  quint64 totalBytes = 0;  ///< 0 before they are known.
};
/// What a load is going to do: it waits until it may go on (ModelHost::goOn).
struct LoadPlanned {
  LoadNumber load = 0;
  PlannedLoad planned;
};
/// A load is over; if it has a model, ModelHost::takeModel() gives it.
struct LoadEnded {
  LoadNumber load = 0;
  QString error;  ///< Empty if there is a model, or if it was cancelled.
  bool isCancelled = false;
};
struct ModelReady {
  LoadNumber load = 0;
  QString path;
  QString modelName;
  QString fingerprint;
  QString deviceName;
  QString deviceNote;
  int contextLength = 0;
  QString defaultTemplate;  ///< LoadedModel::default_template_name.
  ModelSampling sampling = {};
};
struct ModelFailed {
  LoadNumber load = 0;
  QString error;  ///< Its device is lost: the model does not serve any more.
};
/// The model has given up its devices for a while; it takes them back with resume().
struct RoomMade {};
/// The model is gone, and its memory free.
struct ModelUnloaded {};

using ServiceEvent =
    std::variant<AnswerStarted, AnswerText, AnswerFinished, ForecastMade, PersonaMeasured,
                 ThroughputMeasured, BlocksMapped, BlockRead, LoadProgressed, LoadPlanned,
                 LoadEnded, ModelReady, ModelFailed, RoomMade, ModelUnloaded>;

}  // namespace quire
