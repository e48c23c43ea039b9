#pragma once

#include "engine/models/architectures/config_fields.h"

namespace quire {

/// How many inputs a recurrent layer's convolution sees, a token's own among them: 2 or more.
int read_conv_inputs(JsonFields& fields, const char* name, int fallback);

/// `time_step_limit`, two numbers between which Mamba 2's time steps are put; the second may be
/// infinity. Files without it have no limit.
void read_time_step_limit(JsonFields& fields, ModelConfig& config);

}  // namespace quire
