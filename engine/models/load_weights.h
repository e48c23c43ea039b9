#pragma once

#include "engine/models/decoder_weights.h"
#include "engine/models/model_config.h"
#include "engine/models/weight_loader.h"

namespace quire {

/// All tensors of the decoder that the config describes. Faults stay in the loader.
DecoderWeights load_weights(const ModelConfig& config, WeightLoader& loader);

}  // namespace quire
