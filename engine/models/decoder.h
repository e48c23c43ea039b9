#pragma once

#include <memory>

#include "engine/cache/kv_storage.h"
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

/// A decoder-only transformer on one backend: weights loaded, ready to compute.
/// Thread: the engine's.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual const ModelConfig& config() const = 0;
  virtual size_t weight_bytes() const = 0;

  /// Prepares work space for batches of at most `max_tokens` rows and `max_logits` logits rows;
  /// never less than was asked for before, so that several runners may share a decoder.
  virtual Result<void> reserve(int max_tokens, int max_logits) = 0;

  /// Computes one step: reads and writes kv, writes logits (R, V) f32. Asynchronous, as Backend.
  virtual void forward(const DeviceBatch& batch, const KvStorage& kv, TensorView logits) = 0;
};

}  // namespace quire
