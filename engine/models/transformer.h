#pragma once

#include <memory>

#include "engine/models/decoder.h"
#include "engine/models/decoder_weights.h"

namespace quire {

/// The decoder that all supported architectures share: layers of grouped-query attention with
/// rotary positions and a gated MLP or a mixture of experts, an f32 residual stream; ModelConfig
/// describes each of them. The weights lie where the placement says. Errors: kOutOfMemory.
Result<std::unique_ptr<Decoder>> make_transformer(LayerPlacement placement, ModelConfig config,
                                                  DecoderWeights weights);

}  // namespace quire
