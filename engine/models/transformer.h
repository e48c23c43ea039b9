#pragma once

#include "engine/models/decoder.h"
#include "engine/models/decoder_weights.h"
#include "engine/models/layers.h"

namespace quire {

/// The decoder that Llama and its relatives share: pre-normed layers of grouped-query attention
/// with rotary positions and a gated MLP, an f32 residual stream. Thread: the engine's.
class TransformerDecoder final : public Decoder {
 public:
  /// Errors: kOutOfMemory.
  static Result<std::unique_ptr<Decoder>> create(Backend& backend, ModelConfig config,
                                                 DecoderWeights weights);

  const ModelConfig& config() const override { return m_config; }
  size_t weight_bytes() const override { return m_weights.size_bytes(); }
  Result<void> reserve(int max_tokens, int max_logits) override;
  void forward(const DeviceBatch& batch, const KvStorage& kv, TensorView logits) override;

 private:
  TransformerDecoder(Backend& backend, ModelConfig config, DecoderWeights weights);
  Result<void> upload_frequencies();
  Activations narrow_to_logits_rows(const Activations& at, ConstTensorView rows);

  Backend& m_backend;
  ModelConfig m_config;
  DecoderWeights m_weights;
  DeviceTensor m_inv_freq;             ///< (R) f32.
  std::vector<DeviceTensor> m_memory;  ///< What the views below look at.
  Activations m_work;                  ///< For max_tokens rows.
  TensorView m_cos_sin;                ///< (T, 2 R) f32.
  TensorView m_last_residual;          ///< (max_logits, C) f32.
  TensorView m_last_attended;          ///< (max_logits, H D) f32.
};

}  // namespace quire
