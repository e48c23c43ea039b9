#pragma once

#include "engine/models/transformer_stage.h"

namespace quire {

/// The decoder that all supported architectures share: layers of grouped-query attention with
/// rotary positions and a gated MLP or a mixture of experts, an f32 residual stream; ModelConfig
/// says how each of them is made. A stage for each range of its placement. Thread: the engine's.
class TransformerDecoder final : public Decoder {
 public:
  /// The weights lie where the placement says. Errors: kOutOfMemory.
  static Result<std::unique_ptr<Decoder>> create(LayerPlacement placement, ModelConfig config,
                                                 DecoderWeights weights);

  const ModelConfig& config() const override { return m_config; }
  const LayerPlacement& placement() const override { return m_placement; }
  size_t weight_bytes() const override { return m_weights.size_bytes(); }
  Result<void> reserve(int max_tokens, int max_logits) override;
  void forward(size_t range, const DeviceBatch& batch, const KvStorage& kv,
               TensorView logits) override;
  TensorView residual(size_t range, int64_t num_tokens) override;

 private:
  TransformerDecoder(LayerPlacement placement, ModelConfig config, DecoderWeights weights);

  LayerPlacement m_placement;
  ModelConfig m_config;
  DecoderWeights m_weights;
  std::vector<std::unique_ptr<TransformerStage>> m_stages;  ///< As m_placement.
};

}  // namespace quire
