#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// An MLP: down(act(gate x) * up x) (arXiv:2002.05202), or without a gate down(act(up x)).
class Mlp final : public FeedForward {
 public:
  struct Names {
    const char* gate = "ffn_gate";
    const char* up = "ffn_up";
    const char* down = "ffn_down";
  };
  /// Of F columns. Errors stay in the tensors' loader.
  Mlp(const ModelConfig& config, int64_t width, const Names& names, LayerTensors& tensors);

  void forward(Backend& backend, Workspace& work, TensorView out,
               ConstTensorView in) const override;
  void measure(Workspace& work, int64_t max_tokens) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override { return m_up.size_bytes() + m_down.size_bytes(); }

 private:
  struct Buffers {
    TensorView up;         ///< (T, 2 F) with a gate, otherwise (T, F).
    TensorView activated;  ///< (T, F).
  };
  Buffers take(Workspace& work, int64_t num_tokens) const;

  int64_t m_hidden_size, m_width;
  bool m_has_gate;
  GluParams m_glu;
  Activation m_activation;
  Linear m_up;    ///< (2 F, C), the gate first; without one (F, C).
  Linear m_down;  ///< (C, F).
};

}  // namespace quire
