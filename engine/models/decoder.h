#pragma once

#include <memory>
#include <vector>

#include "engine/cache/kv_storage.h"
#include "engine/models/model_config.h"
#include "kernels/backend.h"

namespace quire {

/// Consecutive layers that one backend computes.
struct LayerRange {
  Backend* backend = nullptr;
  int first = 0;
  int count = 0;

  int end() const { return first + count; }
};

/// Where a model's layers are computed: ascending ranges that cover all layers, each on its own
/// backend. The first range's backend also has the embedding, the last one's the head.
using LayerPlacement = std::vector<LayerRange>;

/// All layers on one backend.
inline LayerPlacement place_all(Backend& backend, int num_layers) {
  return {{.backend = &backend, .first = 0, .count = num_layers}};
}

/// The backend of each layer.
inline std::vector<Backend*> layer_backends(const LayerPlacement& placement) {
  std::vector<Backend*> backends;
  for (const LayerRange& range : placement) {
    backends.insert(backends.end(), static_cast<size_t>(range.count), range.backend);
  }
  return backends;
}

/// The same batch as ForwardBatch, in the backend's memory. All i32.
struct DeviceBatch {
  ConstTensorView ids;           ///< (T)
  ConstTensorView positions;     ///< (T)
  ConstTensorView slot_mapping;  ///< (T)
  AttentionBatch attention;
  ConstTensorView logits_rows;  ///< (R)
};

/// A decoder-only transformer: weights loaded, ready to compute, its layers on one backend or
/// ranges of them on several.
/// Thread: the engine's.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual const ModelConfig& config() const = 0;
  virtual const LayerPlacement& placement() const = 0;
  virtual size_t weight_bytes() const = 0;

  /// Prepares work space for batches of at most `max_tokens` rows and `max_logits` logits rows;
  /// never less than was asked for before, so that several runners may share a decoder.
  virtual Result<void> reserve(int max_tokens, int max_logits) = 0;

  /// Computes the layers of placement()[range] for one step: reads and writes kv. The first range
  /// starts from the batch's tokens, others from residual(range), a copy of the range before's; the
  /// last writes logits (R, V) f32. The batch and logits are on the range's backend. Asynchronous,
  /// as Backend.
  virtual void forward(size_t range, const DeviceBatch& batch, const KvStorage& kv,
                       TensorView logits) = 0;

  /// (T, C) f32 on the range's backend: what enters and leaves its layers.
  virtual TensorView residual(size_t range, int64_t num_tokens) = 0;
};

}  // namespace quire
