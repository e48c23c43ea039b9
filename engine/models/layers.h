#pragma once

#include "engine/models/decoder.h"
#include "engine/models/decoder_weights.h"

namespace quire {

/// Work space of a step, or its first rows.
struct Activations {
  TensorView residual;   ///< (T, C) the stream that the layers add to.
  TensorView hidden;     ///< (T, C) what enters or leaves a block.
  TensorView qkv;        ///< (T, (H + 2 Hkv) D).
  TensorView attended;   ///< (T, H D).
  TensorView gate_up;    ///< (T, 2 F).
  TensorView activated;  ///< (T, F).

  Activations rows(int64_t count) const;
};

/// Projects hidden to queries, keys and values, rotates them, and stores keys and values in the
/// pages.
void project_and_store(Backend& backend, const ModelConfig& config, const LayerWeights& layer,
                       const Activations& at, ConstTensorView cos_sin, ConstTensorView slots,
                       const KvLayerView& kv);

/// attended = attention of the queries in qkv over the pages.
void attend(Backend& backend, const ModelConfig& config, const Activations& at,
            const AttentionBatch& batch, const KvLayerView& kv);

/// The rest of a layer: attended goes through the output projection into the residual, and that
/// through the MLP. hidden becomes the residual normed by `next_norm` (the next layer's, or the
/// model's last).
void project_and_feed_forward(Backend& backend, const ModelConfig& config,
                              const LayerWeights& layer, const Activations& at,
                              ConstTensorView next_norm);

}  // namespace quire
