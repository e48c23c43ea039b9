#pragma once

#include "engine/models/layers/attention.h"
#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/layers/mamba2.h"
#include "engine/models/model_config.h"

namespace quire {

/// Attention and Mamba 2 beside each other on the same input; their results are scaled and added
/// (Falcon-H1, arXiv:2507.22448). Keeps what both keep.
class AttentionAndMamba2 final : public Mixer {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  AttentionAndMamba2(const ModelConfig& config, int index, LayerTensors& tensors);

  static LayerCache cache_of(const ModelConfig& config, int index);

  DType input_dtype(const Backend& backend) const override;
  void forward(const Step& step, TensorView out, ConstTensorView in) const override;
  void measure(Workspace& work, const MaxRows& most) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override { return m_attention.size_bytes() + m_mamba2.size_bytes(); }

 private:
  int64_t m_hidden_size;
  BlockScales m_scales;
  Attention m_attention;
  Mamba2 m_mamba2;
};

}  // namespace quire
