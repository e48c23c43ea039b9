#pragma once

#include <vector>

namespace quire {

/// How positions become rotations (arXiv:2104.09864), and how they are stretched beyond the context
/// that a model was first trained for.
struct RopeConfig {
  enum class Scaling {
    kNone,
    kLinear,    ///< Frequencies divided by `factor` (arXiv:2306.15595).
    kDynamic,   ///< theta grown for the served context (NTK-aware interpolation).
    kLlama3,    ///< Long wavelengths divided by `factor`, short ones kept (Llama 3.1).
    kYarn,      ///< arXiv:2309.00071.
    kLongRope,  ///< A divisor for each frequency: one set up to the original context, another for
                ///< contexts beyond it (arXiv:2402.13753).
  };
  float theta = 10000.0f;
  int rotary_dim = 0;  ///< Rotated dimensions of a head, its first ones; 0 means all of head_dim.
  Scaling scaling = Scaling::kNone;
  float factor = 1.0f;
  int original_max_positions = 0;  ///< Every kind but kNone and kLinear.
  int served_context = 0;          ///< kDynamic, kLongRope: see serve_context() in rope.h.
  float low_freq_factor = 1.0f;    ///< kLlama3.
  float high_freq_factor = 4.0f;   ///< kLlama3.
  float beta_fast = 32.0f;         ///< kYarn.
  float beta_slow = 1.0f;          ///< kYarn.
  bool truncate = true;            ///< kYarn: whether the ramp's ends are whole dimensions.
  /// What cosines and sines are multiplied with (kYarn, kLongRope). 0: what the papers derive.
  float attention_factor = 0.0f;
  std::vector<float> short_factors;  ///< (R) kLongRope: divisors up to the original context.
  std::vector<float> long_factors;   ///< (R) kLongRope: divisors beyond it.
  /// (R) kNone: divisors that a file holds ready-made (GGUF's rope_freqs); empty if it does not.
  std::vector<float> divisors;
};

}  // namespace quire
