#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// A gated MLP (arXiv:2002.05202): down(act(gate x) * up x).
class Mlp final : public FeedForward {
 public:
  /// Errors stay in the tensors' loader.
  Mlp(const ModelConfig& config, LayerTensors& tensors);

  void forward(Backend& backend, Workspace& work, TensorView out,
               ConstTensorView in) const override;
  void measure(Workspace& work, int64_t max_tokens) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override { return m_gate_up.size_bytes() + m_down.size_bytes(); }

 private:
  struct Buffers {
    TensorView gate_up;    ///< (T, 2 F).
    TensorView activated;  ///< (T, F).
  };
  Buffers take(Workspace& work, int64_t num_tokens) const;

  int64_t m_hidden_size, m_width;
  GluParams m_glu;
  Linear m_gate_up;  ///< (2 F, C): the gate first.
  Linear m_down;     ///< (C, F).
};

}  // namespace quire
