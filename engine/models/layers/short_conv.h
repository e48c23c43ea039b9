#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// A gated short convolution (LFM2): of a projection's three parts B, C and x, the causal
/// convolution of B x, times C. Keeps the convolution's last inputs.
class ShortConv final : public Mixer {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  ShortConv(const ModelConfig& config, int index, LayerTensors& tensors);

  static LayerCache cache_of(const ModelConfig& config, int index);

  DType input_dtype(const Backend& backend) const override { return m_input.input_dtype(backend); }
  void forward(const Step& step, TensorView out, ConstTensorView in) const override;
  void measure(Workspace& work, const MaxRows& most) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    TensorView projected;  ///< (T, 3 C): B, C, x.
    TensorView mixed;      ///< (T, C)
    TensorView wanted;     ///< (R, C): the wanted rows of mixed.
  };
  Buffers take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const;

  int m_index;
  int64_t m_hidden_size;
  Linear m_input;       ///< (3 C, C)
  DeviceTensor m_taps;  ///< (C, K) f32
  DeviceTensor m_bias;  ///< (C) f32, or empty.
  Linear m_output;      ///< (C, C)
};

}  // namespace quire
