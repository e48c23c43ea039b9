#pragma once

#include <vector>

#include "engine/models/layers/workspace.h"
#include "engine/models/model_config.h"

namespace quire {

/// The rotations of a step's positions, computed once for all layers of a backend: those of
/// config.ropes, then the identity if a layer does not rotate.
class Rotations {
 public:
  /// Errors: kOutOfMemory.
  static Result<Rotations> create(Backend& backend, const ModelConfig& config);

  /// Their results stay taken from the workspace. positions: (T) i32.
  void compute(Backend& backend, Workspace& work, ConstTensorView positions);
  void measure(Workspace& work, int64_t max_tokens) const;
  /// (T, 2 R) f32 of the positions last computed. `rope`: LayerConfig::rope.
  ConstTensorView cos_sin(int rope) const;

 private:
  struct Rotation {
    DeviceTensor inv_freq;  ///< (R) f32.
    float attention_factor = 1.0f;
    TensorView cos_sin;
  };
  Result<void> add(Backend& backend, const std::vector<float>& inv_freq, float attention_factor);

  std::vector<Rotation> m_rotations;
};

}  // namespace quire
