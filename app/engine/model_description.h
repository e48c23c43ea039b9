#pragma once

#include "app/engine/service_event.h"
#include "app/engine/serving_model.h"

namespace quire {

/// What the window is told of a model that serves since that load.
ModelReady describe(ServingModel& serving, LoadNumber load);

}  // namespace quire
