#pragma once

#include "engine/models/decoder.h"
#include "engine/models/decoder_weights.h"

namespace quire {

/// Work space of a step, or its first rows. k is the number of experts a token.
struct Activations {
  TensorView residual;          ///< (T, C) the stream that the layers add to.
  TensorView hidden;            ///< (T, C) what enters or leaves a block.
  TensorView qkv;               ///< (T, (H + 2 Hkv) D).
  TensorView attended;          ///< (T, H D).
  TensorView gate_up;           ///< (T, 2 F); this and the next only with plain MLPs.
  TensorView activated;         ///< (T, F).
  TensorView router_logits;     ///< (T, E); this and what follows only with experts.
  TensorView expert_ids;        ///< (T, k) i32.
  TensorView expert_weights;    ///< (T, k).
  TensorView expert_gate_up;    ///< (T k, 2 F) F of one expert.
  TensorView expert_activated;  ///< (T k, F).
  TensorView expert_out;        ///< (T k, C).

  Activations rows(int64_t count) const;
};

/// The arguments of a layer's attention. Everything referred to must outlive it.
struct AttentionStep {
  const ModelConfig& config;
  const LayerConfig& layer_config;
  const LayerWeights& layer;
  const Activations& at;
  ConstTensorView cos_sin;  ///< (T, 2 R) f32.
  ConstTensorView slots;    ///< (T) i32.
  const AttentionBatch& batch;
  const KvLayerView& kv;
};

/// Projects the input of attention to queries, keys and values, norms and rotates them, and stores
/// keys and values in the pages. The input is at.hidden, or at.residual for a layer without a norm
/// before attention.
void project_and_store(Backend& backend, const AttentionStep& step);

/// attended = attention of the queries in qkv over the pages.
void attend(Backend& backend, const AttentionStep& step);

/// The rest of a layer: adds the output projection of attended to the residual, then the output of
/// the MLP or the experts. hidden becomes the residual normed by `next_norm` (the next layer's, or
/// the model's last) unless that is empty.
void project_and_feed_forward(Backend& backend, const ModelConfig& config,
                              const LayerWeights& layer, const Activations& at,
                              ConstTensorView next_norm);

}  // namespace quire
