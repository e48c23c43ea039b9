#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// A gated delta net (arXiv:2412.06464) as in Qwen 3.5: queries, keys and values go through a
/// causal convolution, the gated delta rule updates a matrix for each head, and its results are
/// normed by head and gated. Keeps the convolution's last inputs and the matrices.
class GatedDeltaNet final : public Mixer {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  GatedDeltaNet(const ModelConfig& config, int index, LayerTensors& tensors);

  static LayerCache cache_of(const ModelConfig& config, int index);

  DType input_dtype(const Backend& backend) const override { return m_input.input_dtype(backend); }
  void forward(const Step& step, TensorView out, ConstTensorView in) const override;
  void measure(Workspace& work, const MaxRows& most) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    TensorView projected;  ///< (T, 2 Hk Dk + 2 Hv Dv + 2 Hv): queries, keys, values, gates, decays.
    TensorView convolved;  ///< (T, 2 Hk Dk + Hv Dv)
    TensorView mixed;      ///< (T, Hv Dv)
    TensorView wanted;     ///< (R, Hv Dv): the wanted rows of mixed.
  };
  Buffers take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const;
  int64_t key_width() const { return int64_t{1} * m_sizes.num_groups * m_sizes.key_dim; }
  int64_t value_width() const { return int64_t{1} * m_sizes.num_heads * m_sizes.value_dim; }
  int64_t conv_width() const { return 2 * key_width() + value_width(); }

  int m_index;
  int64_t m_hidden_size;
  RecurrentConfig m_sizes;
  Linear m_input;          ///< (2 Hk Dk + 2 Hv Dv + 2 Hv, C)
  DeviceTensor m_taps;     ///< (2 Hk Dk + Hv Dv, K) f32
  DeviceTensor m_decays;   ///< (Hv) f32, -exp(A_log)
  DeviceTensor m_dt_bias;  ///< (Hv) f32
  DeviceTensor m_norm;     ///< (Dv) f32
  GatedNormParams m_norm_params;
  GatedDeltaParams m_params;
  Linear m_output;  ///< (C, Hv Dv)
};

}  // namespace quire
