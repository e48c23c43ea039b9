#pragma once

#include <memory>
#include <vector>

#include "engine/models/adapter_loader.h"
#include "engine/models/decoder.h"
#include "engine/models/draft_layers.h"
#include "engine/models/layer_placement.h"
#include "engine/models/layers/alt_up.h"
#include "engine/models/layers/decoder_layer.h"
#include "engine/models/layers/per_layer_embeddings.h"
#include "engine/models/layers/rotations.h"
#include "engine/models/weight_loader.h"

namespace quire {

/// The layers that one backend computes, with the embedding if it has the first layer and the head
/// if it has the last one.
class DecoderStage {
 public:
  /// The config is the whole model's and outlives the stage.
  DecoderStage(const LayerRange& range, const ModelConfig& config);

  /// The tables first, which are the largest: each is in memory twice while it is packed, once in
  /// the file's pages. Errors stay in the loader.
  void load_tables(WeightLoader& loader);
  void load_layers(WeightLoader& loader);
  /// Once, before what follows. Errors: kOutOfMemory.
  Result<void> add_rotations();
  Result<void> reserve(MaxRows most);
  void add_limits(StepLimits& limits, int64_t max_tokens) const;
  size_t weight_bytes() const;

  /// Errors: those of AdapterLoader::load.
  Result<void> add_adapter(AdapterId adapter, AdapterLoader& loader);
  void remove_adapter(AdapterId adapter);
  /// The same as add_adapter() without keeping it.
  Result<void> check_adapter(AdapterLoader& loader) const;
  size_t adapter_bytes() const;

  /// As Decoder::forward, of this range.
  void forward(const DeviceBatch& batch, const CacheStorage& kv, TensorView logits,
               TensorView kept);
  /// As Decoder::carried.
  std::vector<TensorView> carried(int64_t num_tokens) const;
  TensorView hidden(int64_t num_rows) const { return m_hidden.view.rows(0, num_rows); }

  // Only for the stage with the head.
  /// Sets the draft layers, which outlive the stage. To be called before reserve().
  void use(const DraftLayers& layers) { m_draft_layers = &layers; }
  const DraftLayers* draft_layers() const { return m_draft_layers; }
  /// As the functions of Decoder.
  void extend_drafts(const DeviceBatch& batch, const CacheStorage& kv, ConstTensorView previous);
  void guess(int number, const DeviceBatch& batch, const CacheStorage& kv,
             const Decoder::GuessBuffers& buffers);

 private:
  bool has_embedding() const { return m_range.first == 0; }
  bool has_head() const { return m_range.end() == m_config.num_layers; }
  bool has_per_layer() const { return m_config.per_layer.width > 0; }
  bool has_streams() const { return m_config.alt_up.num_streams > 0; }
  /// Of the residual: all streams of a model with AltUp.
  int64_t residual_width() const {
    return int64_t{m_config.hidden_size} * std::max(1, m_config.alt_up.num_streams);
  }
  TensorView residual(int64_t num_tokens) const { return m_residual.view.rows(0, num_tokens); }
  Mixer::Step step_of(int layer, const DeviceBatch& batch, const CacheStorage& kv);
  const LinearWeight& head() const { return m_head ? *m_head : *m_embedding; }
  void load_positions(WeightLoader& loader);
  Result<DeviceTensor> allocate_per_layer(int64_t max_tokens) const;
  NextBlock block_after(size_t layer, DType last_dtype) const;
  bool has_quantized_inputs() const;
  Result<void> reserve_adapters(int64_t max_tokens);
  Stream begin(const DeviceBatch& batch);
  void finish(ConstTensorView hidden, TensorView logits) const;
  void finish_all(ConstTensorView hidden, const DeviceBatch& batch, TensorView logits,
                  TensorView kept);
  bool keeps_all(TensorView kept) const { return !kept.empty() && m_draft_layers->has_cache(); }
  DecoderEnds draft_ends() const;
  Mixer::Step draft_step(const DeviceBatch& batch, const CacheStorage& kv);

  Backend& m_backend;
  const LayerRange m_range;
  const ModelConfig& m_config;
  std::unique_ptr<LinearWeight> m_embedding;  ///< (V, C); null without the first layer.
  std::unique_ptr<LinearWeight> m_positions;  ///< (num_learned_positions, C), or null.
  std::unique_ptr<LinearWeight> m_head;       ///< (V, C); null where the embedding is used.
  DeviceTensor m_head_bias;                   ///< (V) f32, or empty.
  AltUpEnds m_stream_ends;                    ///< Of a model with AltUp.
  PerLayerEmbeddings m_per_layer_embeddings;  ///< With the embedding, of a model that has some.
  std::vector<DecoderLayer> m_layers;
  std::vector<WeightLoader::AdapterSlot> m_slots;  ///< Of all linear layers.
  std::unique_ptr<AdapterStep> m_adapter_step = std::make_unique<AdapterStep>();
  Norm m_embedding_norm;
  Norm m_final_norm;  ///< Exists with the head.
  Rotations m_rotations;
  MaxRows m_reserved;
  bool m_reserves_quantized = false;  ///< Whether m_work has memory for Stream::quantized.
  Workspace m_work;
  DeviceTensor m_residual;                      ///< (max_tokens, N C) f32; N is 1 without AltUp.
  DeviceTensor m_hidden;                        ///< (max_tokens, C) f32.
  DeviceTensor m_wanted_residual;               ///< (max_logits, N C) f32.
  DeviceTensor m_per_layer;                     ///< (max_tokens, L P) f32, or empty.
  const DraftLayers* m_draft_layers = nullptr;  ///< Null: nothing guesses.
};

}  // namespace quire
