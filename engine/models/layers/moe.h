#pragma once

#include <memory>

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/layers/mlp.h"
#include "engine/models/model_config.h"

namespace quire {

/// A mixture of experts (arXiv:2101.03961): each row is computed by the k of E MLPs that a router
/// chooses for it, maybe in a narrower space, and by an MLP that all rows share,
/// if there is one. L is that space's size, or C.
class MoE final : public FeedForward {
 public:
  /// Errors stay in the tensors' loader.
  MoE(const ModelConfig& config, LayerTensors& tensors);

  void forward(Backend& backend, Workspace& work, TensorView out,
               ConstTensorView in) const override {
    forward(backend, work, out, {in, in});
  }
  /// What the experts read, and what the router reads. Both (T, C).
  struct Inputs {
    ConstTensorView experts, router;
  };
  void forward(Backend& backend, Workspace& work, TensorView out, const Inputs& in) const;
  void measure(Workspace& work, int64_t max_tokens) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    TensorView router_logits;    ///< (T, E).
    TensorView ids;              ///< (T, k) i32.
    TensorView weights;          ///< (T, k).
    TensorView latent;           ///< (T, L), or empty.
    MlpActivation::Buffers mlp;  ///< Of (T k) rows.
    TensorView out;              ///< (T k, L).
    TensorView shared;           ///< (T, C); this and the next only with a shared MLP.
    TensorView shared_gates;     ///< (T, 1).

    /// The weights as (T k, 1).
    ConstTensorView row_weights() const {
      return {weights.data(), DType::kF32, {mlp.up.dim(0), 1}};
    }
  };
  Buffers take(Workspace& work, int64_t num_tokens, DType activated) const;

  int64_t expert_size() const {
    return m_config.latent_size > 0 ? m_config.latent_size : m_hidden_size;
  }

  int64_t m_hidden_size;
  ExpertsConfig m_config;
  MlpActivation m_activation;
  Linear m_router;                ///< (E, C).
  DeviceTensor m_choice_bias;     ///< (E) f32, or empty.
  DeviceTensor m_expert_scales;   ///< (E) f32, or empty.
  Linear m_latent_down;           ///< (L, C), or empty; so is the next.
  Linear m_latent_up;             ///< (C, L).
  ExpertLinears m_gate_up;        ///< (2 F, L): the gate first; without one (F, L).
  ExpertLinears m_down;           ///< (L, F).
  std::unique_ptr<Mlp> m_shared;  ///< Or null.
  Linear m_shared_gate;           ///< (1, C), or empty.
};

}  // namespace quire
