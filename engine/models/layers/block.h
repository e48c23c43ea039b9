#pragma once

#include <optional>

#include "engine/cache/cache_storage.h"
#include "engine/models/layers/workspace.h"
#include "kernels/backend.h"

namespace quire {

/// A ForwardBatch in the backend's memory. All i32.
struct DeviceBatch {
  ConstTensorView ids;           ///< (T)
  ConstTensorView positions;     ///< (T)
  ConstTensorView slot_mapping;  ///< (T)
  AttentionBatch attention;
  ConstTensorView logits_rows;  ///< (R)
  StateBatch states;            ///< Of recurrent layers; empty for a model without.
  /// Of layers with a window; empty for a model without: their slots instead of blocks.
  ConstTensorView window_slots;  ///< (T)
  AttentionBatch window_attention;
  const AdapterRows* adapters = nullptr;  ///< Rows that adapters change; null for none.

  int64_t num_tokens() const { return ids.dim(0); }
};

/// The largest step: rows, and rows whose logits are wanted.
struct MaxRows {
  int64_t tokens = 0;
  int64_t logits = 0;
};

/// What mixes the positions of a sequence: attention, or a recurrence. Owns its weights.
class Mixer {
 public:
  struct Step {
    Backend& backend;
    Workspace& work;
    const DeviceBatch& batch;
    const CacheStorage& kv;
    ConstTensorView cos_sin;  ///< (T, 2 R) f32: the layer's rotation.
    /// The rows (R) i32 that are wanted, in the model's last layer; without it all are.
    std::optional<ConstTensorView> rows;
    ConstTensorView per_layer = {};  ///< (T, P): the layer's part of the per-layer embeddings.

    /// Where the rows' keys and values of that layer are stored, and found.
    ConstTensorView slot_mapping(int layer) const {
      return kv.has_window(layer) ? batch.window_slots : batch.slot_mapping;
    }
    const AttentionBatch& attention(int layer) const {
      return kv.has_window(layer) ? batch.window_attention : batch.attention;
    }
  };

  virtual ~Mixer() = default;
  /// The dtype in which it reads `in`: f32, or Backend::input_dtype if only products do.
  virtual DType input_dtype(const Backend& /*backend*/) const { return DType::kF32; }
  /// Keeps what later steps need of every row in the cache, and computes the wanted rows. in:
  /// (T, C) in input_dtype(); out: (T, C), or (R, C) for the wanted rows; may alias.
  virtual void forward(const Step& step, TensorView out, ConstTensorView in) const = 0;
  /// Takes the buffers of the largest step from a workspace without memory.
  virtual void measure(Workspace& work, const MaxRows& most) const = 0;
  virtual void add_limits(StepLimits& limits, int64_t max_tokens) const = 0;
  virtual size_t size_bytes() const = 0;

 protected:
  /// Projects the wanted rows of `mixed`, gathered in `wanted` if not all are.
  static void project(const Step& step, const Linear& output, TensorView out, TensorView mixed,
                      TensorView wanted) {
    if (!step.rows) return output.apply(step.backend, out, mixed);
    if (step.rows->dim(0) == 0) return;
    step.backend.gather_rows(wanted, mixed, *step.rows);
    output.apply(step.backend, out, wanted);
  }
};

/// What computes each row by itself: an MLP, or a mixture of experts. Owns its weights.
class FeedForward {
 public:
  virtual ~FeedForward() = default;
  /// As Mixer.
  virtual DType input_dtype(const Backend& /*backend*/) const { return DType::kF32; }
  /// out: (T, C); in: (T, C) in input_dtype(); may alias.
  virtual void forward(Backend& backend, Workspace& work, TensorView out,
                       ConstTensorView in) const = 0;
  /// As Mixer.
  virtual void measure(Workspace& work, int64_t max_tokens) const = 0;
  virtual void add_limits(StepLimits& limits, int64_t max_tokens) const = 0;
  virtual size_t size_bytes() const = 0;
};

}  // namespace quire
