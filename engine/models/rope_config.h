#pragma once

#include "engine/io/json_fields.h"
#include "engine/models/model_config.h"

namespace quire {

/// The rotation that config.json describes, in either spelling: rope_theta beside rope_scaling, or
/// all in rope_parameters (transformers 5). Errors: kCorruptFile; kUnsupported naming the
/// rope_type.
Result<RopeConfig> read_rope_config(JsonFields& config, int max_positions);

}  // namespace quire
