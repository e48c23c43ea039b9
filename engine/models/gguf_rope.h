#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/io/gguf_weights.h"
#include "engine/models/gguf_keys.h"

namespace quire {

/// Adds what a GGUF file says of rotations to `config`, which has its sizes, in config.json's
/// words. Faults stay in the keys.
void add_gguf_rope(GgufKeys& keys, const GgufWeights& weights, nlohmann::json& config);

}  // namespace quire
