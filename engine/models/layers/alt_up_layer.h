#pragma once

#include <memory>

#include "engine/models/layers/alt_up.h"
#include "engine/models/layers/attention.h"
#include "engine/models/layers/mlp.h"
#include "engine/models/layers/per_layer_input.h"

namespace quire {

/// A layer of Gemma 3n: attention with a low-rank path beside it (Laurel, arXiv:2411.07501), an MLP
/// and a block that reads the per-layer embeddings, within AltUp's prediction and correction of the
/// streams.
class AltUpLayer {
 public:
  /// Of layer `index`. Errors stay in the tensors' loader.
  AltUpLayer(const ModelConfig& config, int index, LayerTensors& tensors);

  /// streams: (T, N C) f32, dense, in place. With step.rows the streams of those rows alone are
  /// written to `wanted` (R, N C); with none of them only the cache is filled.
  void forward(const Mixer::Step& step, TensorView streams, TensorView wanted) const;
  void measure(Workspace& work, const MaxRows& most) const;
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t size_bytes() const;

 private:
  struct Buffers {
    TensorView predicted;      ///< (T, N C).
    TensorView laurel;         ///< (T, C).
    TensorView low_rank;       ///< (T, R).
    TensorView normed;         ///< (T, C).
    TensorView hidden;         ///< (T, C).
    TensorView wanted_normed;  ///< (W, C): the wanted rows of normed.
  };
  Buffers take(Workspace& work, int64_t num_tokens, int64_t num_wanted) const;
  void compute_rows(const Mixer::Step& step, const Buffers& at) const;

  int64_t m_hidden_size;
  int m_num_streams;
  int64_t m_laurel_rank;
  AltUp m_alt_up;
  Norm m_input_norm;  ///< (C); so are the others.
  Attention m_attention;
  Norm m_post_attention_norm;
  Linear m_laurel_left;   ///< (R, C).
  Linear m_laurel_right;  ///< (C, R).
  Norm m_laurel_norm;
  Norm m_mlp_norm;
  Mlp m_mlp;
  Norm m_post_mlp_norm;
  PerLayerInput m_per_layer;
};

}  // namespace quire
