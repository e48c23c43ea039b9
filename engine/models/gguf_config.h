#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/io/gguf_weights.h"
#include "engine/models/model_config.h"

namespace quire {

/// The configuration of a GGUF model: that of the config.json which Hugging Face keeps of the same
/// model, with sampling defaults from general.sampling. Without the divisors of rotations, which
/// are tensors: see read_rope_tensors(). Errors: kCorruptFile and kUnsupported, naming the
/// file and the key or tensor.
Result<ModelConfig> read_gguf_config(const GgufWeights& weights);

/// The first step of it: the metadata as an object with config.json's fields, so that one parser
/// serves both formats. What the metadata lacks is taken from the tensors: biases, tying, the size
/// of the vocabulary, layers without experts. Keys as llama.cpp's converter (conversion/*.py)
/// writes and its loader (src/models/*.cpp) reads them.
Result<nlohmann::json> gguf_config_json(const GgufWeights& weights);

}  // namespace quire
