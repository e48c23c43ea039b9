#pragma once

#include <memory>

#include "engine/cache/kv_storage.h"
#include "engine/models/layer_placement.h"
#include "engine/models/model_config.h"
#include "kernels/backend.h"

namespace quire {

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
  /// begins with the batch's tokens, others with residual(range), which holds what the range before
  /// left in its own; the last writes logits (R, V) f32. The batch and logits are on the range's
  /// backend. Asynchronous, as Backend.
  virtual void forward(size_t range, const DeviceBatch& batch, const KvStorage& kv,
                       TensorView logits) = 0;

  /// (T, C) f32 on the range's backend: what enters and leaves its layers.
  virtual TensorView residual(size_t range, int64_t num_tokens) = 0;
};

}  // namespace quire
