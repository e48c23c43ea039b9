#pragma once

#include <vector>

#include "engine/models/model_config.h"

namespace quire {

/// The rotation frequencies (R) of a head, R half its rotated dimensions: theta^(-2i / 2R)
/// (arXiv:2104.09864), scaled as the config says, in f32 arithmetic step by step as transformers
/// (modeling_rope_utils.py) computes them.
std::vector<float> rope_inv_freq(const RopeConfig& rope, int head_dim);

}  // namespace quire
