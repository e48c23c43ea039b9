#pragma once

#include "engine/io/weights.h"
#include "engine/models/model_config.h"
#include "kernels/base/result.h"

namespace quire {

/// Takes the divisors that GGUF files keep in tensors into config.ropes: rope_freqs (Llama 3's
/// scaling, ready-made) and rope_factors_short and _long (LongRoPE). Errors: kCorruptFile for
/// another shape or for LongRoPE without its factors; those of WeightSource::tensor.
Result<void> read_rope_tensors(WeightSource& source, ModelConfig& config);

}  // namespace quire
