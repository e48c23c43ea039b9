#pragma once

#include "app/engine/model_manager.h"
#include "app/engine/serving_model.h"

namespace quire {

/// A model that serves; isDemonstration is left open.
ModelDescription describe(ServingModel& serving);

}  // namespace quire
