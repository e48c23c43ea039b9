#pragma once

#include <memory>
#include <vector>

#include "engine/cache/cache_storage.h"
#include "engine/models/layer_placement.h"
#include "engine/models/layers/block.h"
#include "engine/models/model_config.h"
#include "kernels/backend.h"

namespace quire {

/// What the layers of a model keep of sequences, with keys and values of that dtype.
CacheLayout cache_layout(const ModelConfig& config, DType dtype);

/// Whether `layers` has a draft layer after the model's own; only the configuration of a Decoder
/// may.
inline bool has_draft_layer(const ModelConfig& config) {
  return static_cast<int>(config.layers.size()) > config.num_layers;
}

class DecoderStage;
class DraftLayers;
class SpeculativeLayer;
class WeightLoader;
struct AdapterFiles;

/// A decoder-only transformer with its weights, its layers on one backend or ranges of them on
/// several: an embedding, layers (layers/decoder_layer.h) that add to an f32 residual stream, and a
/// head. ModelConfig describes each of them.
/// Thread: the engine's.
class Decoder {
 public:
  /// Loads all tensors that the config describes, each where its layer is computed. Those of layers
  /// for speculation are loaded with the last layer, and only if LoadOptions::speculative_layers is
  /// set. If Quire computes such a layer and all layers are on one backend, it becomes the draft
  /// layer, and config() then has it after the others.
  /// Errors: those of WeightLoader::finish; kUnsupported for states too wide for a GPU.
  static Result<std::unique_ptr<Decoder>> load(LayerPlacement placement, ModelConfig config,
                                               WeightLoader& loader,
                                               bool speculative_layers = false);
  ~Decoder();

  /// Loads an adapter, whose rows DeviceBatch::adapters names from then on. Its work space is part
  /// of what reserve() and add_limits() ask for; after reserve(), a runner must reserve again.
  /// Errors: those of AdapterLoader; the decoder then stays as it was.
  Result<void> add_adapter(AdapterId adapter, AdapterFiles& files);
  void remove_adapter(AdapterId adapter);
  /// Whether add_adapter() would load it, memory aside: reads all of it and keeps nothing. Errors:
  /// those of AdapterLoader.
  Result<void> check_adapter(AdapterFiles& files) const;
  size_t adapter_bytes() const;

  /// Its `layers` are those of the model (num_layers), and after them the draft layer, if there is
  /// one that keeps keys and values.
  const ModelConfig& config() const { return m_config; }
  const LayerPlacement& placement() const { return m_placement; }
  size_t weight_bytes() const;
  /// Empty, unless they were asked for.
  const std::vector<SpeculativeLayer>& speculative_layers() const { return m_speculative_layers; }

  /// The layers or heads that guess its next tokens; null: there are none.
  const DraftLayers* draft_layers() const;
  /// Sets heads, which are on the last layers' backend, as the draft layers. To be called before
  /// reserve().
  void use_heads(std::unique_ptr<DraftLayers> heads);

  /// Prepares work space for batches of at most `max_tokens` rows and `max_logits` logits rows;
  /// never less than was asked for before, so that several runners may share a decoder.
  Result<void> reserve(int max_tokens, int max_logits);
  /// Adds what the layers ask of Backend::reserve_scratch for steps of that size.
  void add_limits(StepLimits& limits, int max_tokens) const;

  /// Computes the layers of placement()[range] for one step: reads and writes kv. The first range
  /// starts from the batch's tokens, others from carried(range), copies of the range before's; the
  /// last writes logits (R, V) f32, or for empty ones leaves states(R). The batch and logits are on
  /// the range's backend. Asynchronous, as Backend.
  /// kept: empty, or where the last range writes hidden states, as they enter the head: f32, (T, C)
  /// of all rows if the draft layers have a cache, otherwise (R, C) of the wanted rows.
  void forward(size_t range, const DeviceBatch& batch, const CacheStorage& kv, TensorView logits,
               TensorView kept = {});

  /// DraftLayers::extend and DraftLayers::guess, on the last range's backend. guess() also computes
  /// the logits.
  void extend_drafts(const DeviceBatch& batch, const CacheStorage& kv, ConstTensorView previous);
  struct GuessBuffers {
    ConstTensorView previous;  ///< (S, C) f32.
    TensorView states;         ///< (S, C) f32.
    TensorView logits;         ///< (S, V) f32.
  };
  void guess(int number, const DeviceBatch& batch, const CacheStorage& kv,
             const GuessBuffers& buffers);

  /// (R, C) f32 on the last range's backend: the wanted rows after the last norm, as they enter the
  /// head.
  TensorView states(int64_t num_rows) const;

  /// What enters and leaves a range's layers, on its backend: the residual (T, C) f32,
  /// or all streams (T, N C) of AltUp, and the per-layer embeddings (T, L P) f32 of a model that
  /// has some. Dense, in the same order for all ranges.
  std::vector<TensorView> carried(size_t range, int64_t num_tokens) const;

 private:
  Decoder(LayerPlacement placement, ModelConfig config);

  LayerPlacement m_placement;
  ModelConfig m_config;
  std::vector<std::unique_ptr<DecoderStage>> m_stages;  ///< As m_placement.
  std::vector<SpeculativeLayer> m_speculative_layers;
  std::unique_ptr<DraftLayers> m_heads;  ///< Null unless use_heads() was called.
};

}  // namespace quire
