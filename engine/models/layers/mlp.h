#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// The activation between an MLP's two matrix products: a gated one (GLU), or an element-wise one
/// in place.
class MlpActivation {
 public:
  struct Buffers {
    TensorView up;         ///< (T, 2 F) with a gate, its columns first; otherwise (T, F).
    TensorView activated;  ///< (T, F), with a gate in the dtype that was asked for.
  };

  explicit MlpActivation(const ModelConfig& config)
      : m_has_gate(config.has_gated_mlp),
        m_glu(config.glu),
        m_gate_scale(config.block_scales.mlp_gate),
        m_activation(config.activation) {}

  bool has_gate() const { return m_has_gate; }
  /// The parameters if the activation is Backend::glu alone, otherwise null.
  const GluParams* plain_glu() const {
    return m_has_gate && m_gate_scale == 1.0f ? &m_glu : nullptr;
  }
  /// Parameters that each layer has of its own (xIELU's).
  void load_parameters(const ModelConfig& config, LayerTensors& tensors);
  /// dtype: in which the second product reads its input.
  Buffers take(Workspace& work, int64_t num_rows, int64_t width, DType dtype) const {
    const TensorView up = work.take(num_rows, m_has_gate ? 2 * width : width);
    return {.up = up, .activated = m_has_gate ? work.take_input(num_rows, width, dtype) : up};
  }
  /// Computes `activated` from `up`, which may be overwritten.
  void forward(Backend& backend, const Buffers& at) const {
    if (!m_has_gate) return backend.activate(at.activated, m_activation);
    if (m_gate_scale != 1.0f) {
      backend.scale(at.up.columns(0, at.activated.dim(1)), m_gate_scale);
    }
    backend.glu(at.activated, at.up, m_glu);
  }

 private:
  bool m_has_gate;
  GluParams m_glu;
  float m_gate_scale;
  Activation m_activation;
};

/// An MLP: down(act(gate x) * up x) (arXiv:2002.05202), or without a gate down(act(up x)).
class Mlp final : public FeedForward {
 public:
  struct Names {
    const char* gate = "ffn_gate";
    const char* up = "ffn_up";
    const char* down = "ffn_down";
  };
  /// Of layer `index`. Errors stay in the tensors' loader.
  Mlp(const ModelConfig& config, int index, LayerTensors& tensors)
      : Mlp(config, intermediate_size_of(config, index), Names{}, tensors) {
    m_gate_threshold = config.layers[static_cast<size_t>(index)].gate_threshold;
  }
  /// Of F columns. Errors stay in the tensors' loader.
  Mlp(const ModelConfig& config, int64_t width, const Names& names, LayerTensors& tensors);

  DType input_dtype(const Backend& backend) const override { return m_up.input_dtype(backend); }
  void forward(Backend& backend, Workspace& work, TensorView out,
               ConstTensorView in) const override;
  void measure(Workspace& work, int64_t max_tokens) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override { return m_up.size_bytes() + m_down.size_bytes(); }

 private:
  int64_t m_hidden_size, m_width;
  float m_scale;                          ///< Of the result.
  std::optional<float> m_gate_threshold;  ///< LayerConfig::gate_threshold.
  MlpActivation m_activation;
  Linear m_up;    ///< (2 F, C), the gate first; without one (F, C).
  Linear m_down;  ///< (C, F).
};

}  // namespace quire
