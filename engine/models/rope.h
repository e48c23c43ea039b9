#pragma once

#include <vector>

#include "engine/models/model_config.h"

namespace quire {

/// Sets the context that a model is served with: `max_context` tokens, or 0 for
/// config.max_positions (for LongRoPE, its original context).
///
/// Dynamic scaling and LongRoPE rotate differently once a sequence outgrows the original context;
/// transformers then rotates all of it anew. Cached keys can depend on nothing but their position,
/// so Quire rotates every token for the longest sequence of the served context: a context within
/// the original one uses no dynamic scaling and LongRoPE's short factors; a longer one uses the
/// theta of that length, or the long factors. So LongRoPE computes as transformers does for chats
/// within the original context unless more is asked for, and with the short factors
/// config.max_positions becomes that context. Dynamic scaling may be served up to `factor` times
/// its original context, which then becomes config.max_positions; learned positions keep theirs.
void serve_context(ModelConfig& config, int max_context);

/// The rotation frequencies (R) of a head, R half its rotated dimensions: theta^(-2i / 2R)
/// (arXiv:2104.09864), scaled as the config says, in f32 arithmetic step by step as transformers
/// (modeling_rope_utils.py) computes them.
std::vector<float> rope_inv_freq(const RopeConfig& rope, int head_dim);

/// What cosines and sines are multiplied with: 1 but for YaRN (arXiv:2309.00071, section 3.4) and
/// LongRoPE.
float rope_attention_factor(const RopeConfig& rope);

}  // namespace quire
