#pragma once

#include <memory>
#include <vector>

#include "engine/models/decoder.h"
#include "engine/models/decoder_weights.h"
#include "engine/models/layers.h"

namespace quire {

/// The layers of a transformer that one backend computes: with the embedding before the first layer
/// and the head after the last one, if it has these. Thread: the engine's.
class TransformerStage {
 public:
  /// config and weights are the whole model's and outlive the stage. Errors: kOutOfMemory.
  static Result<std::unique_ptr<TransformerStage>> create(const LayerRange& range,
                                                          const ModelConfig& config,
                                                          const DecoderWeights& weights);

  Result<void> reserve(int max_tokens, int max_logits);
  /// As Decoder::forward, of this range.
  void forward(const DeviceBatch& batch, const KvStorage& kv, TensorView logits);
  /// (T, C) f32: what enters the first layer, and what leaves the last one.
  TensorView residual(int64_t num_tokens) const { return m_work.residual.rows(0, num_tokens); }

 private:
  /// One way to rotate, and the rotations of a step's rows.
  struct Rotation {
    DeviceTensor inv_freq;  ///< (R) f32.
    float attention_factor = 1.0f;
    TensorView cos_sin;  ///< (T, 2 R) f32, within m_memory.
  };

  TransformerStage(const LayerRange& range, const ModelConfig& config,
                   const DecoderWeights& weights);
  bool has_embedding() const { return m_range.first == 0; }
  bool has_head() const { return m_range.end() == m_config.num_layers; }
  Result<void> add_rotation(const std::vector<float>& inv_freq, float attention_factor);
  Result<void> add_rotations();
  const Rotation& rotation_of(const LayerConfig& layer) const;
  ConstTensorView norm_after(int layer) const;
  void begin(const DeviceBatch& batch, const Activations& at);
  void finish(const Activations& at, TensorView logits);
  Activations narrow_to_logits_rows(const Activations& at, ConstTensorView rows);

  Backend& m_backend;
  const LayerRange m_range;
  const ModelConfig& m_config;
  const DecoderWeights& m_weights;
  std::vector<Rotation> m_rotations;  ///< As config.ropes, then that of layers without one, if any.
  std::vector<DeviceTensor> m_memory;  ///< What the views below look at.
  Activations m_work;                  ///< For max_tokens rows.
  TensorView m_last_residual;          ///< (max_logits, C) f32.
  TensorView m_last_attended;          ///< (max_logits, H D) f32.
};

}  // namespace quire
