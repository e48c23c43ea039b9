#pragma once

#include "engine/models/decoder.h"
#include "engine/models/decoder_weights.h"
#include "engine/models/layers.h"

namespace quire {

/// The decoder that all supported architectures share: layers of grouped-query attention with
/// rotary positions and a gated MLP or a mixture of experts, an f32 residual stream; ModelConfig
/// says how each of them is made. Thread: the engine's.
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
  /// One way to rotate, and the rotations of a step's rows.
  struct Rotation {
    DeviceTensor inv_freq;  ///< (R) f32.
    float attention_factor = 1.0f;
    TensorView cos_sin;  ///< (T, 2 R) f32, within m_memory.
  };

  TransformerDecoder(Backend& backend, ModelConfig config, DecoderWeights weights);
  Result<void> add_rotation(const std::vector<float>& inv_freq, float attention_factor);
  Result<void> add_rotations();
  const Rotation& rotation_of(const LayerConfig& layer) const;
  void begin(const DeviceBatch& batch, const Activations& at);
  void finish(const Activations& at, TensorView logits);
  Activations narrow_to_logits_rows(const Activations& at, ConstTensorView rows);

  Backend& m_backend;
  ModelConfig m_config;
  DecoderWeights m_weights;
  std::vector<Rotation> m_rotations;  ///< As config.ropes, then that of layers without one, if any.
  std::vector<DeviceTensor> m_memory;  ///< What the views below look at.
  Activations m_work;                  ///< For max_tokens rows.
  TensorView m_last_residual;          ///< (max_logits, C) f32.
  TensorView m_last_attended;          ///< (max_logits, H D) f32.
};

}  // namespace quire
