#pragma once

#include "engine/io/json_fields.h"
#include "engine/models/model_config.h"

namespace quire {

/// What an architecture assumes of rotations where config.json says nothing.
struct RopeDefaults {
  double theta = 10000.0;
  /// Of layers with a sliding window, as `rope_local_base_freq`; 0: they rotate like all others.
  double local_theta = 0.0;
  /// Whether "su" and "yarn" are older names of "longrope" (Phi-3).
  bool only_longrope = false;
  /// Whether a context of before YaRN's stretch is one for after it.
  bool extends_by_yarn = true;
};

/// Reads config.ropes in any spelling: rope_theta beside rope_scaling, all in rope_parameters
/// (transformers 5), or one such object for each of "full_attention" and "sliding_attention".
/// config.head_dim and max_positions are known. A layer of rope 1 is one with a sliding window; it
/// becomes 0 if both kinds rotate alike. Faults stay in `fields`: kCorruptFile; kUnsupported naming
/// the rope_type.
void read_ropes(JsonFields& fields, const RopeDefaults& defaults, ModelConfig& config);

}  // namespace quire
