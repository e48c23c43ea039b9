#pragma once

#include "engine/io/hash.h"
#include "engine/models/model_config.h"

namespace quire {

/// Feeds everything of the config that changes what the model computes. Of rotations that is the
/// frequencies themselves: contexts that lead to the same ones give the same hash.
void hash_config(const ModelConfig& config, Sha256& hash);

}  // namespace quire
