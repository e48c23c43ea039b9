#pragma once

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/model_config.h"

namespace quire {

/// Mamba 2 (arXiv:2405.21060): x, B and C go through a causal convolution, a scan updates a matrix
/// for each head, and its results are gated and normed by group. Keeps the convolution's last
/// inputs and the matrices.
class Mamba2 final : public Mixer {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  Mamba2(const ModelConfig& config, int index, LayerTensors& tensors);

  static LayerCache cache_of(const ModelConfig& config, int index);

  DType input_dtype(const Backend& backend) const override { return m_input.input_dtype(backend); }
  void forward(const Step& step, TensorView out, ConstTensorView in) const override;
  void measure(Workspace& work, const MaxRows& most) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    TensorView projected;  ///< (T, 2 H P + 2 G N + H): gates, x, B, C, time steps.
    TensorView convolved;  ///< (T, H P + 2 G N)
    TensorView mixed;      ///< (T, H P)
    TensorView wanted;     ///< (R, H P): the wanted rows of mixed.
  };
  Buffers take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const;
  void load_norm(const ModelConfig& config, LayerTensors& tensors);
  void scale(Backend& backend, TensorView projected) const;
  void apply_gates(Backend& backend, TensorView mixed, TensorView gates) const;
  int64_t inner_width() const { return int64_t{1} * m_sizes.num_heads * m_sizes.value_dim; }
  int64_t group_width() const { return int64_t{1} * m_sizes.num_groups * m_sizes.key_dim; }
  int64_t conv_width() const { return inner_width() + 2 * group_width(); }

  int m_index;
  int64_t m_hidden_size;
  RecurrentConfig m_sizes;
  Linear m_input;          ///< (2 H P + 2 G N + H, C)
  DeviceTensor m_taps;     ///< (H P + 2 G N, K) f32
  DeviceTensor m_bias;     ///< (H P + 2 G N) f32, or empty.
  DeviceTensor m_decays;   ///< (H) f32, -exp(A_log)
  DeviceTensor m_dt_bias;  ///< (H) f32
  DeviceTensor m_skip;     ///< (H) f32: D.
  DeviceTensor m_norm;     ///< (H P) f32, or empty.
  GatedNormParams m_norm_params;
  Mamba2Params m_params;
  Linear m_output;  ///< (C, H P)
};

}  // namespace quire
