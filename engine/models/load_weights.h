#pragma once

#include "engine/models/decoder_weights.h"
#include "engine/models/layer_placement.h"
#include "engine/models/model_config.h"
#include "engine/models/weight_loader.h"

namespace quire {

/// All tensors of the decoder that the config describes, each where its layer is computed. Faults
/// stay in the loader.
DecoderWeights load_weights(const ModelConfig& config, const LayerPlacement& placement,
                            WeightLoader& loader);

}  // namespace quire
