#pragma once

#include <memory>

#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/layers/mlp.h"
#include "engine/models/model_config.h"

namespace quire {

/// A mixture of experts (arXiv:2101.03961): each row is computed by the k of E gated MLPs that a
/// router chooses for it, and by an MLP that all rows share, if there is one.
class MoE final : public FeedForward {
 public:
  /// Errors stay in the tensors' loader.
  MoE(const ModelConfig& config, LayerTensors& tensors);

  void forward(Backend& backend, Workspace& work, TensorView out,
               ConstTensorView in) const override;
  void measure(Workspace& work, int64_t max_tokens) const override;
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Buffers {
    TensorView router_logits;  ///< (T, E).
    TensorView ids;            ///< (T, k) i32.
    TensorView weights;        ///< (T, k).
    TensorView gate_up;        ///< (T k, 2 F).
    TensorView activated;      ///< (T k, F).
    TensorView out;            ///< (T k, C).
    TensorView shared;         ///< (T, C); this and the next only with a shared MLP.
    TensorView shared_gates;   ///< (T, 1).
  };
  Buffers take(Workspace& work, int64_t num_tokens) const;

  int64_t m_hidden_size;
  ExpertsConfig m_config;
  GluParams m_glu;
  Linear m_router;                ///< (E, C).
  DeviceTensor m_choice_bias;     ///< (E) f32, or empty.
  ExpertLinears m_gate_up;        ///< (2 F, C): the gate first.
  ExpertLinears m_down;           ///< (C, F).
  std::unique_ptr<Mlp> m_shared;  ///< Or null.
  Linear m_shared_gate;           ///< (1, C), or empty.
};

}  // namespace quire
