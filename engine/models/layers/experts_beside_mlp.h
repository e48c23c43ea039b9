#pragma once

#include "engine/models/layers/moe.h"

namespace quire {

/// An MLP and a mixture of experts beside each other, each with a norm before and after it, whose
/// results are added (Gemma 4). The router has a norm of its own.
class ExpertsBesideMlp final : public FeedForward {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  ExpertsBesideMlp(const ModelConfig& config, int index, LayerTensors& tensors);

  /// `in` is not normed. No aliasing.
  void forward(Backend& backend, Workspace& work, TensorView out,
               ConstTensorView in) const override;
  void measure(Workspace& work, int64_t max_tokens) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    TensorView normed;        ///< (T, C): of the MLP, then of the experts.
    TensorView router_input;  ///< (T, C).
    TensorView mixed;         ///< (T, C): of the experts.
  };
  Buffers take(Workspace& work, int64_t num_tokens) const;

  int64_t m_hidden_size;
  Norm m_norm, m_post_norm;  ///< (C), of the MLP; so are the others.
  Mlp m_mlp;
  Norm m_router_norm;
  Norm m_experts_norm, m_post_experts_norm;
  MoE m_experts;
};

}  // namespace quire
