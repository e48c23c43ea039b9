#pragma once

#include <memory>

#include "engine/models/layers/alt_up_layer.h"
#include "engine/models/layers/block.h"
#include "engine/models/layers/layer_tensors.h"
#include "engine/models/layers/per_layer_input.h"
#include "engine/models/model_config.h"

namespace quire {

/// The stream that layers add to, and what the next block reads.
struct Stream {
  TensorView residual;  ///< (T, C) f32, or all streams (T, N C) of AltUp.
  TensorView hidden;    ///< (T, C) f32: what a block computes, and the next one's input in f32.
  /// Memory for that input as quantised activations (T, C); null: it is f32.
  void* quantized = nullptr;
  DType input_dtype = DType::kF32;

  /// The same with an input of that dtype, if there is memory for it.
  Stream before(DType block_dtype) const {
    Stream next = *this;
    next.input_dtype = quantized == nullptr ? DType::kF32 : block_dtype;
    return next;
  }
  /// (T, C): residual normed by the next block's norm, if it has one.
  TensorView input() const {
    if (input_dtype == DType::kF32) return hidden;
    return quantized_activations(quantized, input_dtype, hidden.dim(0), hidden.dim(1));
  }
};

/// What the block behind a layer reads: the residual normed, in its dtype.
struct NextBlock {
  const Norm& norm;  ///< Of the block; or one that does not exist.
  DType input_dtype = DType::kF32;
};

/// One layer: a mixer, then a feed-forward block, or one of them alone, each with a norm before it,
/// after it, or both; or both blocks beside each other on the same input. After them, in some
/// models, a block that reads the per-layer embeddings, and a factor of what leaves the layer. Or a
/// layer of AltUp, which has all its norms within.
class DecoderLayer {
 public:
  /// Errors stay in the tensors' loader.
  DecoderLayer(const ModelConfig& config, int index, LayerTensors tensors);

  /// What layer `index` keeps of sequences.
  static LayerCache cache_of(const ModelConfig& config, int index);

  /// The norm of what enters the layer.
  const Norm& input_norm() const { return m_mixer ? m_mixer_norm : m_feed_forward_norm; }

  /// The dtype of Stream::input for the layer.
  DType input_dtype(const Backend& backend) const;

  /// Adds the layer's blocks to the residual, and norms it for the next block. With step.rows the
  /// result is of those rows alone, and its residual lies in `wanted_residual` (R, C); with none
  /// of them only the cache is filled.
  Stream forward(const Mixer::Step& step, Stream stream, TensorView wanted_residual,
                 const NextBlock& next) const;
  void measure(Workspace& work, const MaxRows& most) const;
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t size_bytes() const;

 private:
  void load_norms(const ModelConfig& config, int index, LayerTensors& tensors);
  Stream forward_parallel(const Mixer::Step& step, Stream stream, TensorView wanted_residual,
                          const NextBlock& next) const;
  DType feed_forward_dtype(const Backend& backend) const;
  Stream add(Backend& backend, const Stream& stream, const Norm& post_norm,
             const NextBlock& next) const;
  bool has_tail() const { return m_per_layer || m_output_scale != 1.0f; }
  Stream add_tail(const Mixer::Step& step, const Stream& stream, const NextBlock& next) const;

  std::unique_ptr<AltUpLayer> m_alt_up;  ///< Or null; with it nothing else is used.
  int64_t m_hidden_size;
  float m_residual_scale;
  bool m_is_parallel = false;
  Norm m_mixer_norm;               ///< (C); so are the others.
  std::unique_ptr<Mixer> m_mixer;  ///< Or null; so may be the other block.
  Norm m_post_mixer_norm;
  Norm m_feed_forward_norm;
  std::unique_ptr<FeedForward> m_feed_forward;
  Norm m_post_feed_forward_norm;
  std::unique_ptr<PerLayerInput> m_per_layer;  ///< Or null.
  float m_output_scale = 1.0f;
};

}  // namespace quire
