#include "engine/models/transformer.h"

#include <utility>

namespace quire {

TransformerDecoder::TransformerDecoder(LayerPlacement placement, ModelConfig config,
                                       DecoderWeights weights)
    : m_placement(std::move(placement)),
      m_config(std::move(config)),
      m_weights(std::move(weights)) {}

Result<std::unique_ptr<Decoder>> TransformerDecoder::create(LayerPlacement placement,
                                                            ModelConfig config,
                                                            DecoderWeights weights) {
  CHECK(static_cast<int>(config.layers.size()) == config.num_layers);
  CHECK(!placement.empty() && placement.back().end() == config.num_layers);
  std::unique_ptr<TransformerDecoder> decoder(
      new TransformerDecoder(std::move(placement), std::move(config), std::move(weights)));
  for (const LayerRange& range : decoder->m_placement) {
    auto stage = TransformerStage::create(range, decoder->m_config, decoder->m_weights);
    if (!stage) return stage.error();
    decoder->m_stages.push_back(std::move(*stage));
  }
  return std::unique_ptr<Decoder>(std::move(decoder));
}

Result<void> TransformerDecoder::reserve(int max_tokens, int max_logits) {
  for (const auto& stage : m_stages) {
    if (auto reserved = stage->reserve(max_tokens, max_logits); !reserved) return reserved;
  }
  return {};
}

void TransformerDecoder::forward(size_t range, const DeviceBatch& batch, const KvStorage& kv,
                                 TensorView logits) {
  m_stages.at(range)->forward(batch, kv, logits);
}

TensorView TransformerDecoder::residual(size_t range, int64_t num_tokens) {
  return m_stages.at(range)->residual(num_tokens);
}

}  // namespace quire
