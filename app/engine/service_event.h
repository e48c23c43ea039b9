#pragma once

#include <QString>

#include <variant>

#include "app/chat_backend.h"
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
struct LoadProgressed {
  LoadNumber load = 0;
  double fraction = 0.0;
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
};
struct ModelFailed {
  LoadNumber load = 0;
  QString error;
  bool wasServing = false;  ///< Its device is lost: no model serves now.
};

using ServiceEvent =
    std::variant<AnswerStarted, AnswerText, AnswerFinished, ForecastMade, ThroughputMeasured,
                 BlocksMapped, BlockRead, LoadProgressed, ModelReady, ModelFailed>;

}  // namespace quire
