#pragma once

#include "engine/models/decoder_weights.h"
#include "engine/models/model_config.h"
#include "engine/models/weight_loader.h"

namespace quire {

/// The tensors of LlamaForCausalLM and of those that name theirs alike (Mistral), by their names in
/// Hugging Face's files. Faults stay in the loader.
DecoderWeights load_llama_weights(const ModelConfig& config, WeightLoader& loader);

}  // namespace quire
