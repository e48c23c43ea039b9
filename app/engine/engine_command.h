#pragma once

#include <QString>
#include <QStringList>

#include <memory>
#include <variant>

#include "app/engine/service_event.h"
#include "app/engine/serving_model.h"

namespace quire {

/// What the window's thread asks of an engine's, as values: see EngineWorker's calls of these
/// names.
namespace engine_command {

struct Submit {
  RequestId id = 0;
  ChatRequest request;
  std::shared_ptr<AnswerSink> sink;
};
struct Cancel {
  RequestId id = 0;
};
struct SetPriority {
  RequestId id = 0;
  int priority = 0;
};
struct Pause {
  bool paused = false;
};
struct Forecast {
  ChatRequest request;
  Reply<ContextForecast> reply;
};
struct Watch {
  bool watched = false;
};
struct ReadBlock {
  int block = -1;
  Reply<BlockReading> reply;
};
struct Measure {
  QString systemPrompt;
  Reply<PersonaReport> reply;
};
struct Warm {
  QStringList systemPrompts;
};
struct Forget {
  qint64 chatId = 0;
};
struct Adopt {
  LoadNumber load = 0;
  std::unique_ptr<ServingModel> model;
};
struct Suspend {
  bool afterAnswers = false;
};
struct Resume {};
struct Unload {
  QString sentence;
};

}  // namespace engine_command

using EngineCommand =
    std::variant<engine_command::Submit, engine_command::Cancel, engine_command::SetPriority,
                 engine_command::Pause, engine_command::Forecast, engine_command::Measure,
                 engine_command::Warm, engine_command::Watch, engine_command::ReadBlock,
                 engine_command::Forget, engine_command::Adopt, engine_command::Suspend,
                 engine_command::Resume, engine_command::Unload>;

}  // namespace quire
