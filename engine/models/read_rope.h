#pragma once

#include "engine/io/json_fields.h"
#include "engine/io/weights.h"
#include "engine/models/model_config.h"

namespace quire {

/// An architecture's defaults for rotations that config.json does not describe.
struct RopeDefaults {
  double theta = 10000.0;
  /// The default of `rope_local_base_freq`, for layers with a sliding window; 0: as all others.
  double local_theta = 0.0;
  /// Whether layers with a sliding window rotate without the scaling of the others.
  bool unscaled_local = false;
  double partial = 1.0;               ///< Of `partial_rotary_factor`.
  const char* old_partial = nullptr;  ///< An older name of it, or of their number.
  /// Whether "su" and "yarn" are older names of "longrope" (Phi-3).
  bool only_longrope = false;
  /// Whether the context that the config states is the one before YaRN's extension.
  bool extends_by_yarn = true;
};

/// Reads config.ropes in any spelling: rope_theta beside rope_scaling, all in rope_parameters
/// (transformers 5), or one such object for each of "full_attention" and "sliding_attention".
/// config.head_dim and max_positions are known. A layer of rope 1 is one with a sliding window; it
/// becomes 0 if both kinds rotate alike. Errors stay in `fields`: kCorruptFile; kUnsupported naming
/// the rope_type.
void read_ropes(JsonFields& fields, const RopeDefaults& defaults, ModelConfig& config);

/// Reads the divisors that GGUF files store in tensors into config.ropes: rope_freqs (of Llama 3's
/// scaling) and rope_factors_short and _long (LongRoPE). Errors: kCorruptFile for
/// another shape or for LongRoPE without its factors; those of WeightSource::tensor.
Result<void> read_rope_tensors(WeightSource& source, ModelConfig& config);

}  // namespace quire
