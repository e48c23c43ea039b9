#pragma once

#include <string>

#include "engine/model_loader.h"

namespace quire {

/// Everything besides tokens that changes a block's keys and values. Includes the devices, because
/// instruction sets round differently and stored blocks outlive the process.
std::string cache_scope(const LoadedModel& model, DType kv_dtype);

}  // namespace quire
