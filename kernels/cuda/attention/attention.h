#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"

namespace quire::cuda {

/// Paged attention on one device: plans a step's work once for all layers, and computes it.
///
/// The order of a row's arithmetic depends on its own position alone: its keys are cut into splits
/// at absolute positions (attention_layout.h), each split has a softmax of its own (online over
/// blocks of keys, ascending), and the splits' states are folded in ascending order. Which rows
/// share a product, and which splits are computed side by side, changes no bit. Thread: one at a
/// time.
class PagedAttention {
 public:
  explicit PagedAttention(CommandQueue& queue);
  ~PagedAttention();

  /// Backend::begin_attention. Plans for every sliding window that run() has been called with, so
  /// that a captured step may be submitted again afterwards.
  void begin(const AttentionBatch& batch, const HostAttentionBatch& host);

  /// Backend::attention of the batch that was announced.
  void run(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
           const AttentionParams& params);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace quire::cuda
