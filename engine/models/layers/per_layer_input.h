#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// What a layer makes of its part of the per-layer embeddings (Gemma 3n and 4):
/// norm(W (act(G x) * part)).
class PerLayerInput {
 public:
  /// Errors stay in the tensors' loader.
  PerLayerInput(const ModelConfig& config, LayerTensors& tensors);

  /// out, x: (T, C) f32, or (R, C) of the step's wanted rows; no aliasing.
  void forward(const Mixer::Step& step, TensorView out, ConstTensorView x) const;
  void measure(Workspace& work, int64_t max_rows) const;
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t size_bytes() const {
    return m_gate.size_bytes() + m_projection.size_bytes() + m_norm.size_bytes();
  }

 private:
  int64_t m_hidden_size, m_width;
  Activation m_activation;
  Linear m_gate;        ///< (P, C).
  Linear m_projection;  ///< (C, P).
  Norm m_norm;          ///< (C).
};

}  // namespace quire
